// Loaded into the gateway's process: tells its memory after a collection when it is asked.
process.on('message', () => {
  globalThis.gc()
  globalThis.gc()
  const { heapUsed, rss, external } = process.memoryUsage()
  process.send({ external, heapUsed, rss })
})
process.channel.unref()
