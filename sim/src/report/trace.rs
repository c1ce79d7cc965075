//! The timeline as a Chrome trace (Trace Event Format), for chrome://tracing, Perfetto and the like.

use crate::json::{number, quoted};

use super::{EventKind, Report};

impl Report {
    /// One complete event (`ph: X`) for each kernel and transfer; queues are threads.
    pub fn trace(&self) -> String {
        let events = self.events.iter().map(|event| {
            let kernel = event.kind == EventKind::Kernel;
            let modelled = self
                .kernels
                .iter()
                .find(|known| kernel && known.name == event.name && known.launches > 0)
                .map(|known| known.seconds / known.launches as f64);
            let argument = match modelled {
                Some(seconds) => format!("\"modelled_us\":{}", number(seconds * 1e6)),
                None => format!("\"bytes\":{}", event.bytes),
            };
            format!(
                "{{\"name\":{},\"cat\":{},\"ph\":\"X\",\"ts\":{},\"dur\":{},\"pid\":1,\"tid\":{},\
                 \"args\":{{{argument}}}}}",
                quoted(&event.name),
                quoted(event.kind.name()),
                number(event.start.as_secs_f64() * 1e6),
                number(event.time.as_secs_f64() * 1e6),
                event.queue,
            )
        });
        let events: Vec<String> = events.collect();
        format!("{{\"traceEvents\":[\n{}\n],\"displayTimeUnit\":\"ms\"}}\n", events.join(",\n"))
    }
}
