// All messages as one document: gpuc's, with or without the remarks of -Minfo, and the host compiler's.
// RUN: gpuc -fdiagnostics-format=json -Wunused-variable -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=JSON
// JSON: [{"children":[],"code":"GPUC0011","column-origin":1
// JSON-SAME: "kind":"warning","locations":[{"caret":{"byte-column":5,"column":5,"display-column":5,"file":"{{[^"]*}}message-documents.c","line":{{[0-9]+}}}
// JSON-SAME: "option":"-Wnot-independent"}
// JSON-SAME: "kind":"warning"
// JSON-SAME: "message":"unused variable {{.*}} [-Wunused-variable]"
// JSON-SAME: }]{{$}}
// JSON-EMPTY:
// RUN: gpuc -fdiagnostics-format=json -Minfo -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=REMARKS
// REMARKS: {{^}}[{
// REMARKS-SAME: "kind":"remark"
// REMARKS-SAME: "message":"Generating copy(a[0:n])"
// RUN: gpuc -fdiagnostics-format=sarif -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=SARIF
// SARIF: {"$schema":"https://json.schemastore.org/sarif-2.1.0.json"
// SARIF-SAME: "invocations":[{"executionSuccessful":true}]
// SARIF-SAME: "level":"warning"
// SARIF-SAME: "ruleId":"GPUC0011"
// RUN: not gpuc -fdiagnostics-format=json --arch=sm_1 %s 2>&1 | FileCheck %s --check-prefix=OPTION
// OPTION: [{{.*}}"code":"GPUC0013"{{.*}}"locations":[]{{.*}}unknown compute capability
// RUN: not gpuc -fdiagnostics-format=json -DUNDEFINED %s -o %t.exe 2>&1 | FileCheck %s --check-prefix=LINK
// LINK: "help":[{{.*}}undefined reference to {{.*}}"kind":"error"
// RUN: not gpuc -fdiagnostics-format=jason -c %s 2>&1 | FileCheck %s --check-prefix=FORM
// FORM: error[GPUC0013]: unknown form of messages `jason`
// FORM: did you mean `json`?

void f(int n, double *a)
{
    #pragma acc parallel loop copy(a[0:n])
    for (int i = 1; i < n; i++)
        a[i] = a[i - 1];
    int unused;
}

void g(void);

int main(void)
{
#ifdef UNDEFINED
    g();
#endif
    return 0;
}
