// Loaded into the gateway's process: reports its memory after a garbage collection on request.
process.on('message', () => {
  globalThis.gc()
  globalThis.gc()
  const { heapUsed, rss, external } = process.memoryUsage()
  process.send({ external, heapUsed, rss })
})
process.channel.unref()
