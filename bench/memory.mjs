// Loaded into the gateway's process: on request, collects garbage and reports the memory.
process.on('message', () => {
  globalThis.gc()
  globalThis.gc()
  const { heapUsed, rss, external } = process.memoryUsage()
  process.send({ external, heapUsed, rss })
})
process.channel.unref()
