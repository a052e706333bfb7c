/** nginx in front of replicas, with the settings of deploy/balancer.conf that this drill needs. */
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
  return `
daemon off;
worker_processes 1;
pid ${directory}/nginx.pid;
error_log ${directory}/error.log;
events { worker_connections 512; }
http {
  access_log off;
${paths.join('\n')}
  upstream gateways {
${replicas.map((replica) => `    server 127.0.0.1:${replica} max_fails=1 fail_timeout=2s;`).join('\n')}
    keepalive 32;
  }
  server {
    listen 127.0.0.1:${port};
    location / {
      proxy_pass http://gateways;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_next_upstream error non_idempotent;
      proxy_set_header Host $host;
      proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
    }
  }
}
`
}

/** HAProxy in front of replicas, with /ready as health check. */
export function haproxyConfig({
  port,
  replicas,
}: {
  port: number
  replicas: readonly number[]
}): string {
  return `
global
  maxconn 512
defaults
  mode http
  timeout connect 2s
  timeout client 60s
  timeout server 60s
  option redispatch
  retries 3
frontend rpc
  bind 127.0.0.1:${port}
  default_backend gateways
backend gateways
  balance roundrobin
  option httpchk GET /ready
${replicas.map((replica, index) => `  server gateway-${index + 1} 127.0.0.1:${replica} check inter 500ms fall 1 rise 1`).join('\n')}
`
}
