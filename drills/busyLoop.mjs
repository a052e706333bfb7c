// Loaded into a gateway: once a signal to stop has come, the event loop stands still for 5 s.
process.once('SIGTERM', () => {
  setTimeout(() => {
    const end = performance.now() + 5_000
    while (performance.now() < end);
  }, 500)
})
