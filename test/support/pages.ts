/** A page as a browser gets it. */
type Page = { headers: Headers; status: number; text: string }

/** The pages of a gateway. @param url - its address, which is read at each call. */
export function pagesOf(url: () => string) {
  const open = async (
    path: string,
    headers: Record<string, string> = { accept: 'text/html' },
  ): Promise<Page> => {
    const response = await fetch(url() + path, { headers, redirect: 'manual' })
    return { headers: response.headers, status: response.status, text: await response.text() }
  }
  /** The text of a page, without its tags. */
  const textOf = async (path: string): Promise<string> => {
    const { text } = await open(path)
    return text.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ')
  }
  /** The answer to JSON that the script of a page sends. */
  const post = async (path: string, body: unknown): Promise<Record<string, unknown>> => {
    const response = await fetch(url() + path, { method: 'POST', body: JSON.stringify(body) })
    return (await response.json()) as Record<string, unknown>
  }
  return { open, post, textOf }
}
