import { IncomingMessage } from 'node:http'

/** A request whose body can be read without the events of a stream, which take longer than an answer from memory. */
export class RequestMessage extends IncomingMessage {
  #take: ((chunk: Buffer | null) => void) | undefined
  #isCollected = false

  /**
   * Calls back once: with the body, or with undefined when it is larger than the limit. The rest of it is then read as a
   * stream. Never when the client disconnects.
   */
  collect(limit: number, done: (body: Buffer | undefined) => void): void {
    const chunks: Buffer[] = []
    let bytes = 0
    this.#take = (chunk) => {
      bytes += chunk?.length ?? 0
      if (chunk && bytes <= limit) {
        chunks.push(chunk)
        return
      }
      this.#take = undefined
      this.#isCollected = chunk === null
      if (chunk) done(undefined)
      else done(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks))
    }
    // A request that waited for its turn has a part of its body in the stream already.
    const waited = this.read() as Buffer | null
    if (waited) this.#take(waited)
    if (this.complete) this.#take?.(null)
  }

  /** Node gives each part of the body to this function, and null at its end. */
  override push(chunk: Buffer | null, encoding?: BufferEncoding): boolean {
    if (!this.#take) return super.push(chunk, encoding)
    this.#take(chunk)
    return true
  }

  /** Otherwise node would take a collected request for one that was cut off. */
  // @ts-expect-error -- the types call it a property, but it is an accessor in node too
  override get readableEnded(): boolean {
    return this.#isCollected || Reflect.get(IncomingMessage.prototype, 'readableEnded', this)
  }
}
