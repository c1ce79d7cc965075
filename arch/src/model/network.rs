//! Customers that go round a closed network of queues.
//!
//! The warps of a multiprocessor are such customers: each computes, queues for the pipes and the
//! memory system, waits out latencies, and comes again. Mean value analysis (Reiser and Lavenberg
//! 1980) tells how long a round takes: exact for service times that vary as much as they are long, on
//! the safe side for those that vary less.

/// The time of one round of each of `customers` who need `demands` of the stations and spend
/// `thinking` outside every queue. Never less than either bound: one customer's round alone, and the
/// busiest station serving all.
pub(super) fn round(demands: &[f64], thinking: f64, customers: u32) -> f64 {
    let mut queues = vec![0.0; demands.len()];
    let mut time = thinking + demands.iter().sum::<f64>();
    for present in 1..=customers {
        let responses: Vec<f64> =
            demands.iter().zip(&queues).map(|(demand, queue)| demand * (1.0 + queue)).collect();
        time = thinking + responses.iter().sum::<f64>();
        if time <= 0.0 {
            return 0.0;
        }
        let throughput = f64::from(present) / time;
        for (at, response) in responses.iter().enumerate() {
            queues[at] = throughput * response;
        }
    }
    time
}

#[cfg(test)]
mod tests {
    use super::round;

    #[test]
    fn between_the_bounds() {
        // Alone: everything one after another.
        assert_eq!(round(&[3.0, 5.0], 10.0, 1), 18.0);
        for customers in [1u32, 2, 3, 8, 16, 64] {
            for (demands, thinking) in
                [([4.0, 0.0], 60.0), ([4.0, 4.0], 0.0), ([1.0, 2.0], 500.0), ([8.0, 7.0], 9.0)]
            {
                let alone = demands.iter().sum::<f64>() + thinking;
                let busiest = demands.iter().fold(0.0f64, |a, &b| a.max(b));
                let time = round(&demands, thinking, customers);
                let n = f64::from(customers);
                assert!(time >= alone.max(n * busiest) - 1e-9, "{customers} {demands:?}");
                assert!(time <= thinking + n * (demands[0] + demands[1]) + 1e-9, "{customers}");
            }
        }
        // Latency hides behind others, and the station is busy all the time.
        let time = round(&[4.0], 60.0, 64);
        assert!((time / 256.0 - 1.0).abs() < 0.02, "{time}");
        // Few customers hardly meet.
        let time = round(&[4.0], 600.0, 4);
        assert!(time < 606.0, "{time}");
    }

    #[test]
    fn nothing_to_do_takes_no_time() {
        assert_eq!(round(&[0.0], 0.0, 8), 0.0);
        assert_eq!(round(&[], 0.0, 8), 0.0);
    }
}
