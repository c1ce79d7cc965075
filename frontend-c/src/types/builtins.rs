//! The compiler's own functions (`__builtin_…`, `__sync_…`, `__atomic_…`), as far as headers and
//! programs use them.
//!
//! They are declared in C, each when it is first named: a result, parameters and names of that
//! prototype. `$` stands for the floating type that a name's suffix selects.

use super::{Checker, Type};
use crate::source::Span;
use crate::symbol::Symbol;
use crate::tree::{ExprId, ValueCategory};

/// Result, parameters, and the names behind `__builtin_`.
const PROTOTYPES: &[(&str, &str, &str)] = &[
    (
        "$",
        "$",
        "acos acosh asin asinh atan atanh cbrt ceil cos cosh erf erfc exp exp10 exp2 expm1 fabs \
      floor gamma lgamma log log10 log1p log2 logb nearbyint rint round roundeven significand sin sinh \
      sqrt tan tanh tgamma trunc j0 j1 y0 y1",
    ),
    ("$", "$, $", "atan2 copysign drem fdim fmax fmin fmod hypot nextafter pow remainder scalb"),
    ("$", "$, $, $", "fma"),
    ("$", "$, int", "ldexp scalbn powi"),
    ("$", "$, long", "scalbln"),
    ("$", "$, int *", "frexp"),
    ("$", "$, $ *", "modf"),
    ("$", "$, $, int *", "remquo"),
    ("void", "$, $ *, $ *", "sincos"),
    ("int", "$", "ilogb isinf isnan finite signbit"),
    ("long", "$", "lrint lround"),
    ("long long", "$", "llrint llround"),
    ("$", "void", "huge_val inf"),
    ("$", "const char *", "nan nans"),
    ("$", "_Complex $", "cabs carg cimag creal"),
    (
        "_Complex $",
        "_Complex $",
        "ccos ccosh cexp clog conj cproj csin csinh csqrt ctan ctanh cacos casin \
      catan cacosh casinh catanh",
    ),
    ("_Complex $", "_Complex $, _Complex $", "cpow"),
    (
        "int",
        "",
        "isfinite isnormal isinf_sign isgreater isgreaterequal isless islessequal islessgreater \
      isunordered fpclassify classify_type constant_p tgmath va_arg_pack va_arg_pack_len add_overflow \
      sub_overflow mul_overflow add_overflow_p sub_overflow_p mul_overflow_p printf fprintf sprintf \
      snprintf issignaling iseqsig",
    ),
    ("int", "int, ...", "eh_return_data_regno"),
    ("int", "int", "abs isalpha isdigit isspace isupper islower toupper tolower isalnum putchar"),
    ("long", "long", "labs"),
    ("long long", "long long", "llabs"),
    ("int", "int", "ffs clrsb"),
    ("int", "long", "ffsl clrsbl"),
    ("int", "long long", "ffsll clrsbll"),
    ("int", "unsigned", "clz ctz popcount parity"),
    ("int", "unsigned long", "clzl ctzl popcountl parityl"),
    ("int", "unsigned long long", "clzll ctzll popcountll parityll"),
    ("unsigned short", "unsigned short", "bswap16"),
    ("unsigned", "unsigned", "bswap32"),
    ("unsigned long", "unsigned long", "bswap64"),
    ("unsigned __int128", "unsigned __int128", "bswap128"),
    ("long", "long, long", "expect"),
    ("long", "long, long, double", "expect_with_probability"),
    ("void", "void", "trap unreachable unwind_init ia32_pause"),
    ("void *", "const void *, unsigned long, ...", "assume_aligned"),
    ("unsigned long", "const void *, int", "object_size dynamic_object_size"),
    ("void *", "unsigned long", "alloca malloc"),
    ("void *", "unsigned long, unsigned long", "alloca_with_align calloc"),
    ("void *", "void *, unsigned long", "realloc"),
    ("void", "void *", "free"),
    ("void *", "unsigned", "return_address frame_address"),
    ("void *", "void *", "extract_return_addr frob_return_addr"),
    ("void", "const void *, ...", "prefetch"),
    ("void", "void *, void *", "clear_cache"),
    ("void", "", "va_start va_end va_copy"),
    ("void *", "void *, const void *, unsigned long", "memcpy memmove mempcpy"),
    ("void *", "void *, int, unsigned long", "memset"),
    ("int", "const void *, const void *, unsigned long", "memcmp bcmp"),
    ("void", "void *, unsigned long", "bzero"),
    ("void *", "const void *, int, unsigned long", "memchr"),
    ("unsigned long", "const char *", "strlen"),
    ("unsigned long", "const char *, const char *", "strspn strcspn"),
    ("int", "const char *, const char *", "strcmp strcasecmp"),
    ("int", "const char *, const char *, unsigned long", "strncmp strncasecmp"),
    ("char *", "char *, const char *", "strcpy strcat stpcpy"),
    ("char *", "char *, const char *, unsigned long", "strncpy strncat stpncpy"),
    ("char *", "const char *, int", "strchr strrchr index rindex"),
    ("char *", "const char *, const char *", "strstr strpbrk"),
    ("char *", "const char *", "strdup"),
    ("int", "const char *", "puts"),
    (
        "void *",
        "void *, const void *, unsigned long, unsigned long",
        "__memcpy_chk __memmove_chk \
      __mempcpy_chk",
    ),
    ("void *", "void *, int, unsigned long, unsigned long", "__memset_chk"),
    ("char *", "char *, const char *, unsigned long", "__strcpy_chk __strcat_chk __stpcpy_chk"),
    (
        "char *",
        "char *, const char *, unsigned long, unsigned long",
        "__strncpy_chk __strncat_chk \
      __stpncpy_chk",
    ),
    ("int", "char *, int, unsigned long, const char *, ...", "__sprintf_chk"),
    ("int", "char *, unsigned long, int, unsigned long, const char *, ...", "__snprintf_chk"),
    ("int", "char *, int, unsigned long, const char *, __builtin_va_list", "__vsprintf_chk"),
    (
        "int",
        "char *, unsigned long, int, unsigned long, const char *, __builtin_va_list",
        "__vsnprintf_chk",
    ),
    ("void", "void", "abort"),
    ("void", "int", "exit _exit"),
    ("int", "void", "cpu_init"),
    ("int", "const char *", "cpu_supports cpu_is"),
    ("const char *", "void", "FILE FUNCTION"),
    ("int", "void", "LINE"),
    ("int", "const void *, ...", "setjmp"),
    ("void", "void *, int", "longjmp"),
];

const FLOATING: &[(&str, &str)] = &[
    ("f128", "_Float128"),
    ("f64x", "_Float64x"),
    ("f32x", "_Float32x"),
    ("f64", "_Float64"),
    ("f32", "_Float32"),
    ("f16", "_Float16"),
    ("f", "float"),
    ("l", "long double"),
    ("", "double"),
];

/// The C declaration of a builtin by its full name.
pub(crate) fn declaration(name: &str) -> Option<String> {
    if name.starts_with("__sync_") || name.starts_with("__atomic_") {
        // Their types follow from the arguments, see `builtin_call`.
        return Some(format!("int {name}();"));
    }
    let stem = name.strip_prefix("__builtin_")?;
    FLOATING.iter().find_map(|&(suffix, ty)| {
        let base = stem.strip_suffix(suffix)?;
        let (result, parameters, _) = PROTOTYPES.iter().find(|(result, parameters, names)| {
            let generic = result.contains('$') || parameters.contains('$');
            (generic || suffix.is_empty()) && names.split_whitespace().any(|n| n == base)
        })?;
        Some(format!("{} {name}({});", result.replace('$', ty), parameters.replace('$', ty)))
    })
}

impl Checker {
    /// What `__builtin_add_overflow_p(a, b, c)` and its kin say of constants: whether the exact result is a number of `c`'s type.
    fn known_overflow(&self, name: &str, arguments: &[ExprId]) -> Option<bool> {
        let operation = name.strip_prefix("__builtin_")?.strip_suffix("_overflow_p")?;
        let &[a, b, c] = arguments else { return None };
        // The greatest of these are not kept exactly.
        if [a, b, c].iter().any(|&each| self.ty(each).unqualified() == Type::UINT128) {
            return None;
        }
        let (a, b) = (self.unit.constant_int(a)?, self.unit.constant_int(b)?);
        let exact = match operation {
            "add" => a.checked_add(b),
            "sub" => a.checked_sub(b),
            "mul" => a.checked_mul(b),
            _ => return None,
        };
        let kind = self.unit.types.as_int(self.ty(c))?;
        Some(exact.is_none_or(|value| kind.wrap(value) != value))
    }

    /// A call that the compiler itself understands; `None` for every other.
    pub(crate) fn builtin_call(
        &mut self,
        name: Symbol,
        callee: ExprId,
        arguments: &[ExprId],
        span: Span,
    ) -> Option<ExprId> {
        let text = self.unit.text(name);
        if !text.starts_with("__") {
            return None;
        }
        if text == "__builtin_constant_p" {
            let known = arguments.first().is_some_and(|&a| self.unit.constant(a).is_some());
            return Some(self.int(known.into(), Type::INT, span));
        }
        if let Some(overflows) = self.known_overflow(text, arguments) {
            return Some(self.int(overflows.into(), Type::BOOL, span));
        }
        if text == "__builtin_tgmath" {
            return Some(self.type_generic_call(arguments, span));
        }
        let operation =
            text.strip_prefix("__sync_").or_else(|| text.strip_prefix("__atomic_"))?.to_owned();
        let first = *arguments.first()?;
        let void = matches!(
            operation.as_str(),
            "synchronize"
                | "thread_fence"
                | "signal_fence"
                | "lock_release"
                | "clear"
                | "load"
                | "store"
                | "store_n"
                | "exchange"
        );
        let boolean = operation.starts_with("bool_")
            || operation.starts_with("compare_exchange")
            || operation.ends_with("lock_free")
            || operation == "test_and_set";
        let result = if void {
            Type::VOID
        } else if boolean {
            Type::BOOL
        } else {
            match self.pointee_of(first) {
                Some(to) => to,
                None => {
                    let span = self.span(first);
                    return Some(self.refuse(span, "the first argument must be a pointer"));
                }
            }
        };
        Some(self.call_yielding(callee, arguments, result, span))
    }
}

impl Checker {
    /// `__builtin_tgmath(functions…, arguments…)`: calls the function for the arguments' common type,
    /// in which integers count as `double`.
    fn type_generic_call(&mut self, operands: &[ExprId], span: Span) -> ExprId {
        let is_function = |&&e: &&ExprId| self.unit.exprs[e].category == ValueCategory::Function;
        let count = operands.iter().take_while(is_function).count();
        let (functions, arguments) = operands.split_at(count);
        let mut wanted = None;
        for &argument in arguments {
            let value = self.rvalue(argument);
            let ty = self.ty(value);
            if !self.unit.types.is_arithmetic(ty) {
                return self.refuse(span, "this function takes arithmetic arguments");
            }
            let ty = if self.unit.types.is_integer(ty) { Type::DOUBLE } else { ty };
            wanted = Some(match wanted {
                Some(wanted) => self.unit.types.common_arithmetic(wanted, ty),
                None => ty,
            });
        }
        let first_parameter = |&&function: &&ExprId| {
            let function = self.unit.types.as_function(self.ty(function));
            function.and_then(|f| f.parameters.first().copied()) == wanted
        };
        match functions.iter().find(first_parameter).or(functions.first()) {
            Some(&function) => self.call(function, arguments.to_vec(), span),
            None => self.refuse(span, "there is no function to choose here"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::declaration;

    #[test]
    fn declarations_by_name() {
        for (name, expected) in [
            ("__builtin_fabs", Some("double __builtin_fabs(double);")),
            ("__builtin_fabsf", Some("float __builtin_fabsf(float);")),
            ("__builtin_huge_valf64x", Some("_Float64x __builtin_huge_valf64x(void);")),
            ("__builtin_nansl", Some("long double __builtin_nansl(const char *);")),
            ("__builtin_popcountl", Some("int __builtin_popcountl(unsigned long);")),
            ("__builtin_erf", Some("double __builtin_erf(double);")),
            ("__builtin_inff", Some("float __builtin_inff(void);")),
            ("__sync_synchronize", Some("int __sync_synchronize();")),
            ("__builtin_wibble", None),
            ("sin", None),
        ] {
            assert_eq!(declaration(name).as_deref(), expected, "{name}");
        }
    }
}
