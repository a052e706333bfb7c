// Helpers for tests that start programs of the system.
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/** Whether a program is on the PATH. */
export function hasProgram(name: string): boolean {
  try {
    execFileSync('which', [name], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** The words of a command line whose paths have no spaces. */
export const words = (text: string) => text.split(' ')

/** Waits for a state of servers that nothing announces. */
export async function settle(check: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 60_000
  while (!(await check().catch(() => false))) {
    if (performance.now() > deadline) throw new Error('the servers did not become ready')
    await sleep(20)
  }
}

/** Makes an authority, and a certificate for 127.0.0.1 that servers and clients may use, as files of a folder. */
export function makeCertificates(directory: string) {
  const [ca, caKey, cert, key, request] = ['ca.crt', 'ca.key', 'one.crt', 'one.key', 'one.csr'].map(
    (name) => join(directory, name),
  ) as [string, string, string, string, string]
  const openssl = (command: string) => execFileSync('openssl', words(command), { stdio: 'ignore' })
  const newKey = 'req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes'
  const extensions = join(directory, 'extensions')
  writeFileSync(extensions, 'subjectAltName=IP:127.0.0.1')
  openssl(`${newKey} -x509 -days 2 -subj /CN=authority -keyout ${caKey} -out ${ca}`)
  openssl(`${newKey} -subj /CN=127.0.0.1 -keyout ${key} -out ${request}`)
  openssl(
    `x509 -req -days 2 -CAcreateserial -in ${request} -CA ${ca} -CAkey ${caKey} -out ${cert} -extfile ${extensions}`,
  )
  return { ca, cert, key }
}
