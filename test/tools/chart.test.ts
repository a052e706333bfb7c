import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

import { beforeAll, describe, expect, test } from 'vitest'
import { parseAllDocuments } from 'yaml'

import { hasJava } from './java.ts'
import { openProject, type Project } from './project.ts'

const run = promisify(execFile)
const CHART = fileURLToPath(new URL('../../deploy/helm/ethgate', import.meta.url))

type Manifest = { kind: string; spec?: Record<string, unknown> }

/** Renders the chart with Helm as a library, which Maven installs, and validates the manifests. */
describe.runIf(hasJava)('Helm chart', () => {
  let project: Project
  let classpath: string

  beforeAll(async () => {
    project = await openProject('helm')
    classpath = join(project.cwd, 'node_modules', '.helm')
    const folder = `-DoutputDirectory=${classpath}`
    await run('mvn', ['-q', '-B', 'dependency:copy-dependencies', folder], { cwd: project.cwd })
  }, 600_000)

  const IMAGE = 'image.repository=registry.example/ethgate'

  async function render(...options: string[]): Promise<string> {
    const args = ['-cp', `${classpath}/*`, 'Render.java', CHART, ...options]
    const { stdout } = await run('java', args, { cwd: project.cwd })
    return stdout
  }

  async function kindsOf(manifests: string): Promise<string[]> {
    const checked = run(process.execPath, ['validate.mjs'], { cwd: project.cwd })
    checked.child.stdin?.end(manifests)
    return (await checked).stdout.trim().split('\n')
  }

  test('default: two replicas behind one service', async () => {
    const manifests = await render(IMAGE, 'redis.url=redis://redis:6379')
    expect((await kindsOf(manifests)).toSorted()).toEqual([
      'ConfigMap release-ethgate',
      'Deployment release-ethgate',
      'NetworkPolicy release-ethgate',
      'PodDisruptionBudget release-ethgate',
      'Service release-ethgate',
    ])
    const deployment = parseAllDocuments(manifests)
      .map((document) => document.toJS() as Manifest | null)
      .find((manifest) => manifest?.kind === 'Deployment')
    expect(deployment?.spec?.['replicas']).toBe(2)
  })

  test('args: every part', async () => {
    const options = ['autoscaling.enabled=true', 'autoscaling.requestsPerSecond=500']
    const manifests = await render(
      IMAGE,
      'redis.existingSecret=redis',
      'serviceMonitor.enabled=true',
      'ingress.enabled=true',
      'ingress.host=rpc.example',
      'ingress.tlsSecret=tls',
      'options.LOGS_MAX_BLOCKS=10000',
      ...options,
    )
    expect(await kindsOf(manifests)).toEqual(
      expect.arrayContaining([
        'HorizontalPodAutoscaler release-ethgate',
        'Ingress release-ethgate',
        'ServiceMonitor release-ethgate',
      ]),
    )
    expect(manifests).toContain('name: ETHGATE_LOGS_MAX_BLOCKS\n              value: "10000"')
  })

  test('args: Redis Sentinel with certificates', async () => {
    const url = 'rediss+sentinel://one:26379,two:26379/main?ca=/etc/redis-tls/ca.crt'
    const manifests = await render(IMAGE, `redis.url=${url}`, 'redis.tlsSecret=redis-certificates')
    expect(await kindsOf(manifests)).toContain('Deployment release-ethgate')
    expect(manifests).toContain('rediss+sentinel://one:26379,two:26379/main?ca=/etc/redis-tls')
    expect(manifests).toContain('secretName: redis-certificates')
    expect(manifests).toContain('mountPath: /etc/redis-tls')
  })

  test('args: keys, API keys, an admin port, a volume that stays, and volumes and variables of the operator', async () => {
    const manifests = await render(
      IMAGE,
      'replicaCount=1',
      'keys.existingSecret=ethgate-keys',
      'apiKeys.existingSecret=ethgate-api-keys',
      'adminPort=9545',
      'persistence.enabled=true',
      'serviceMonitor.enabled=true',
      'extraVolumes[0].name=certificates',
      'extraVolumes[0].emptyDir.medium=Memory',
      'extraVolumeMounts[0].name=certificates',
      'extraVolumeMounts[0].mountPath=/certificates',
      'env[0].name=NODE_KEY',
      'env[0].value=secret',
    )
    expect(await kindsOf(manifests)).toContain('PersistentVolumeClaim release-ethgate')
    for (const text of [
      'image: "registry.example/ethgate:',
      'value: /etc/ethgate-keys/keys',
      'value: /etc/ethgate-api-keys/api-keys.yaml',
      'claimName: release-ethgate',
      'containerPort: 9545',
      '- port: admin',
      'mountPath: /certificates',
      'name: NODE_KEY',
    ])
      expect(manifests).toContain(text)
  })

  test('error: no image, several replicas without Redis, and a value that does not exist', async () => {
    await expect(render('redis.url=redis://redis:6379')).rejects.toThrow('names no image')
    await expect(render(IMAGE)).rejects.toThrow('several replicas need redis.url')
    await expect(render(IMAGE, 'redis.url=redis://redis:6379', 'replicas=3')).rejects.toThrow(
      'replicas',
    )
  })
})
