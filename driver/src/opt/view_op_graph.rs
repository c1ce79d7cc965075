//! `view-op-graph`: operations and the values between them as a graph in Graphviz's language, on standard error, in
//! upstream's form. An operation with regions is a box with its blocks in it.

use std::collections::HashMap;
use std::fmt::Write;

use gpuc_diagnostics::Diagnostic;
use gpuc_ir::pass::{Pass, PassContext};
use gpuc_ir::text::defaults_left_out;
use gpuc_ir::{Block, Ir, Op, Value, WalkOrder};

gpuc_ir::pass! {
    /// Print Graphviz visualization of an operation.
    ViewOpGraph = "view-op-graph" {
        /// Limit attribute/type length to number of chars.
        max_label_len: u64 = 20,
        /// Print attributes of operations.
        print_attrs: bool = true,
        /// Print control flow edges.
        print_control_flow_edges: bool = false,
        /// Print data flow edges.
        print_data_flow_edges: bool = true,
        /// Print result types of operations.
        print_result_types: bool = true,
    }
}

impl Pass for ViewOpGraph {
    fn run(&mut self, ir: &mut Ir, op: Op, cx: &mut PassContext<'_>) -> Result<(), Diagnostic> {
        let mut kinds: Vec<&str> = Vec::new();
        for op in ir.nested_ops(op, WalkOrder::PostOrder) {
            if !kinds.contains(&ir.name(op)) {
                kinds.push(ir.name(op));
            }
        }
        let text = "digraph G {\n  compound = true;\n".to_owned();
        let (nodes, edges) = (HashMap::new(), Vec::new());
        let order = Vec::new();
        let mut graph =
            Graph { options: self, ir, kinds, text, indent: 2, last: 0, nodes, edges, order };
        graph.operation(op);
        graph.finish();
        eprint!("{}", graph.text);
        cx.preserve_all();
        Ok(())
    }
}

/// What an edge begins or ends at: a point, and the box that it stands for.
#[derive(Clone, Copy)]
struct Node {
    number: u32,
    cluster: Option<u32>,
}

struct Graph<'a> {
    options: &'a ViewOpGraph,
    ir: &'a Ir,
    /// Names of operations, each of which has a colour.
    kinds: Vec<&'a str>,
    text: String,
    indent: usize,
    /// The last number given to a node or box.
    last: u32,
    nodes: HashMap<Value, Node>,
    /// The value, its user, and which operand it is.
    edges: Vec<(Value, Node, String)>,
    /// Operations that follow each other.
    order: Vec<(Node, Node)>,
}

impl<'a> Graph<'a> {
    fn line(&mut self, text: &str) {
        let indent = self.indent;
        let _ = writeln!(self.text, "{:indent$}{text}", "");
    }

    fn number(&mut self) -> u32 {
        self.last += 1;
        self.last
    }

    fn node(&mut self, label: &str, shape: &str, hue: Option<f64>) -> Node {
        let number = self.number();
        let colour =
            hue.map(|hue| format!("fillcolor = \"{hue:.6} 1.0 1.0\", ")).unwrap_or_default();
        let style = if hue.is_some() { ", style = filled" } else { "" };
        let label = quoted(label);
        self.line(&format!("v{number} [{colour}label = {label}, shape = {shape}{style}];"));
        Node { number, cluster: None }
    }

    fn cluster(&mut self, label: &str, inside: impl FnOnce(&mut Self)) -> Node {
        let cluster = self.number();
        self.line(&format!("subgraph cluster_{cluster} {{"));
        self.indent += 2;
        // What edges to the box are tied to.
        let node = self.node(" ", "plain", None);
        self.line(&format!("label = {};", quoted(label)));
        inside(self);
        self.indent -= 2;
        self.line("}");
        Node { cluster: Some(cluster), ..node }
    }

    fn operation(&mut self, op: Op) -> Node {
        let ir = self.ir;
        let label = self.label(op);
        let node = if ir.regions(op).is_empty() {
            let index = self.kinds.iter().position(|&kind| kind == ir.name(op)).unwrap_or(0);
            let hue = index as f64 / self.kinds.len().max(1) as f64;
            self.node(&label, "ellipse", Some(hue))
        } else {
            self.cluster(&label, |graph| {
                for &block in ir.regions(op).iter().flat_map(|&region| ir.blocks(region)) {
                    graph.block(block);
                }
            })
        };
        let operands: Vec<Value> = ir.operands(op).collect();
        for (index, &operand) in operands.iter().enumerate() {
            let label = if operands.len() == 1 { String::new() } else { index.to_string() };
            self.edges.push((operand, node, label));
        }
        self.nodes.extend(ir.results(op).iter().map(|&result| (result, node)));
        node
    }

    fn block(&mut self, block: Block) {
        let ir = self.ir;
        self.cluster("", |graph| {
            for (index, &argument) in ir.arguments(block).iter().enumerate() {
                let node = graph.node(&format!("arg{index}"), "ellipse", None);
                graph.nodes.insert(argument, node);
            }
            let mut before = None;
            for op in ir.ops(block) {
                let node = graph.operation(op);
                graph.order.extend(before.replace(node).map(|before| (before, node)));
            }
        });
    }

    fn label(&self, op: Op) -> String {
        let ir = self.ir;
        let mut label = ir.name(op).to_owned();
        if self.options.print_result_types {
            let types: Vec<String> =
                ir.results(op).iter().map(|&result| ir.type_text(ir.ty(result))).collect();
            label += &format!(" : ({})", self.cut(&types.join(", ")));
        }
        if self.options.print_attrs {
            label.push('\n');
            let own = ir.ctx.dict_entries(ir.attrs(op)).iter();
            let mut attrs: Vec<_> =
                own.map(|&(name, attr)| (ir.ctx.str(name), ir.attr_text(attr))).collect();
            attrs.extend(defaults_left_out(ir, op).map(|(name, text)| (name, text.to_owned())));
            attrs.sort();
            for (name, text) in attrs {
                label += &format!("\n{name}: {}", self.cut(&text));
            }
        }
        label
    }

    /// As much of a text as labels have.
    fn cut(&self, text: &str) -> String {
        let most = usize::try_from(self.options.max_label_len).unwrap_or(usize::MAX);
        match text.char_indices().nth(most) {
            Some((end, _)) => format!("{}...", &text[..end]),
            None => text.to_owned(),
        }
    }

    /// The edges come last: a value may be used ahead of where it is made.
    fn finish(&mut self) {
        for (value, to, label) in std::mem::take(&mut self.edges) {
            let Some(&from) = self.nodes.get(&value).filter(|_| self.options.print_data_flow_edges)
            else {
                continue;
            };
            self.edge(from, to, &label, "solid");
        }
        for (from, to) in std::mem::take(&mut self.order) {
            if self.options.print_control_flow_edges {
                self.edge(from, to, "", "dashed");
            }
        }
        self.text += "}\n";
    }

    fn edge(&mut self, from: Node, to: Node, label: &str, style: &str) {
        let mut marks = Vec::new();
        // Labels of edges to boxes would stand inside of them.
        if from.cluster.is_none() && to.cluster.is_none() {
            marks.push(format!("label = {}", quoted(label)));
        }
        marks.extend(to.cluster.map(|cluster| format!("lhead = cluster_{cluster}")));
        marks.extend(from.cluster.map(|cluster| format!("ltail = cluster_{cluster}")));
        marks.push(format!("style = {style}"));
        self.line(&format!("v{} -> v{} [{}];", from.number, to.number, marks.join(", ")));
    }
}

fn quoted(text: &str) -> String {
    let text = text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
    format!("\"{text}\"")
}
