// Loaded into a gateway: blocks the event loop for 5 s after a signal to stop.
process.once('SIGTERM', () => {
  setTimeout(() => {
    const end = performance.now() + 5_000
    while (performance.now() < end);
  }, 500)
})
