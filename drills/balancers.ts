import { readFileSync } from 'node:fs'

const read = (name: string) => readFileSync(new URL(`../deploy/${name}`, import.meta.url), 'utf8')

/** nginx in front of replicas on this machine: deploy/nginx.conf with their ports. */
export function nginxConfig({
  directory,
  port,
  replicas,
}: {
  directory: string
  port: number
  replicas: readonly number[]
}): string {
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `  ${name}_temp_path ${directory}/${name};`,
  )
  const servers = replicas.map(
    (replica) => `  server 127.0.0.1:${replica} max_fails=1 fail_timeout=2s;`,
  )
  const site = read('nginx.conf')
    .replace(/( *server gateway-\d+:8545 [^\n]*\n)+/, `${servers.join('\n')}\n`)
    .replace('listen 8545;', `listen 127.0.0.1:${port};`)
  return `
daemon off;
# One process, so that nothing remains when it is killed.
master_process off;
pid ${directory}/nginx.pid;
error_log ${directory}/error.log;
events { worker_connections 512; }
http {
  access_log off;
${paths.join('\n')}
${site}
}
`
}

/** HAProxy in front of replicas on this machine: deploy/haproxy.cfg with their ports. */
export function haproxyConfig({
  port,
  replicas,
}: {
  port: number
  replicas: readonly number[]
}): string {
  const servers = replicas.map(
    (replica, index) => `  server gateway-${index + 1} 127.0.0.1:${replica}`,
  )
  return (
    read('haproxy.cfg')
      .replace(/( *server gateway-\d+ gateway-\d+:8545\n)+/, `${servers.join('\n')}\n`)
      .replace('bind :8545', `bind 127.0.0.1:${port}`)
      // Machines for tests may allow few open files.
      .replace('maxconn 20000', 'maxconn 2000')
      .replace(/\n\nresolvers system\n[^]*$/, '\n')
      .replace(' resolvers system init-addr last,libc,none', '')
  )
}
