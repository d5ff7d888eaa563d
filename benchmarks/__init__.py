"""What an article costs in processor time and memory, measured on loopback: `python -m benchmarks.speed`, `python -m benchmarks.memory`."""
