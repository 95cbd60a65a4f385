import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { hasSchema, schemaErrors } from '@/platform/compute/kubernetes/fixtures/schema-errors'
import { podLabels } from '@/platform/compute/kubernetes/manifests'
import { IMAGES } from './pack/release-files.mjs'

// The files for operators name only what exists. Nothing is downloaded; what needs a program that is not here is skipped.

const root = path.resolve(import.meta.dirname, '..')
const read = (file: string) => readFileSync(path.join(root, file), 'utf8')
const chart = 'deploy/helm/pilothouse'
const listenerChart = 'deploy/helm/pilothouse-listener'

/** Variables that the programs know, from the example file, which another test keeps complete. */
const VARIABLES = new Set([...read('.env.example').matchAll(/^# ([A-Z][A-Z0-9_]+)=/gm)].map((match) => match[1]))

test('compose sets only known variables, and its service runs without rights on a read-only system', () => {
  const { services } = parse(read('compose.yaml'))
  const { environment, init, read_only, cap_drop, build } = services.pilothouse
  expect(Object.keys(environment).filter((name) => !VARIABLES.has(name))).toEqual([])
  expect({ init, read_only, cap_drop }).toEqual({ init: true, read_only: true, cap_drop: ['ALL'] })
  expect(read('Dockerfile')).toContain(` AS ${build.target}\n`)
})

test('what the guide adds to compose has only known settings of its service, and stays out of images and commits', () => {
  const added = [...read('docs/operate.md').matchAll(/^ *```yaml\n( *services:\n +pilothouse:[^`]*)```/gm)].map(
    ([, text = '']) => parse(text).services.pilothouse,
  )
  expect(added.flatMap(({ environment }) => Object.keys(environment)).filter((name) => !VARIABLES.has(name))).toEqual(
    [],
  )
  const [published] = added.filter(({ ports }) => ports)
  const { PLATFORM_PORT } = published.environment
  expect(published.ports).toEqual([`127.0.0.1:${PLATFORM_PORT}:${PLATFORM_PORT}`])
  for (const file of ['.gitignore', '.dockerignore']) expect(read(file).split('\n')).toContain('compose.override.yaml')
})

test('compose waits until the database accepts connections from other containers', () => {
  const { database, pilothouse } = parse(read('compose.yaml')).services
  expect(pilothouse.depends_on.database.condition).toBe('service_healthy')
  expect(database.healthcheck.test.join(' ')).toContain('pg_isready -h 127.0.0.1 ')
})

test('the guide builds images and asks services that exist, and runs containers with the rights that compose gives', () => {
  const guide = read('docs/operate.md').replaceAll('\\\n', '')
  const { services } = parse(read('compose.yaml'))
  const [, looped = ''] = /for target in ([a-z ]+); do docker build --target \$target /.exec(guide) ?? []
  const targets = [...guide.matchAll(/docker build .*?--target (\w+)/g)].map((match) => match[1] ?? '')
  expect([...targets, ...looped.split(' ')].filter((one) => !IMAGES.includes(one))).toEqual([])
  expect(targets).toEqual(expect.arrayContaining(['full', 'platform', 'agent', 'gateway']))
  const asked = [...guide.matchAll(/docker compose exec (?:-\S+ )*(\w+)/g)].map((match) => match[1] ?? '')
  expect(asked.length).toBeGreaterThan(1)
  expect(asked.filter((one) => !(one in services))).toEqual([])
  const started = guide.match(/^docker run --detach .+$/gm) ?? []
  expect(started.length).toBeGreaterThan(1)
  const { cap_drop, security_opt, stop_grace_period, tmpfs } = services.pilothouse
  const options = `--init --read-only --tmpfs ${tmpfs} --cap-drop ${cap_drop} --security-opt ${security_opt[0].split(':')[0]}`
  for (const one of started)
    expect(one.replace(/ +/g, ' ')).toContain(`${options} --stop-timeout ${parseInt(stop_grace_period, 10)} `)
})

test('what the build must not see stays outside of it', () => {
  const ignored = read('.dockerignore').split('\n')
  expect(ignored).toEqual(expect.arrayContaining(['.git', '.data', '**/.env*', '**/node_modules']))
  // The documentation is made from the console's, and those of the samples are part of them.
  expect(ignored.filter((line) => line.startsWith('!'))).toEqual(['!**/.env.example'])
})

test('a release builds each image that the charts and compose use, under the name that they expect', () => {
  const { services } = parse(read('compose.yaml'))
  const values = [chart, listenerChart].map((one) => read(`${one}/values.yaml`)).join('')
  const repositories = [...values.matchAll(/^ *repository: (.+)$/gm)].map((match) => match[1])
  expect(repositories).toEqual(
    expect.arrayContaining(['console', 'platform', 'gateway', 'agent'].map((target) => `pilothouse-${target}`)),
  )
  const used = [...repositories, `pilothouse-${services.pilothouse.build.target}`]
  expect(used.filter((name) => !IMAGES.map((target) => `pilothouse-${target}`).includes(name ?? ''))).toEqual([])
})

test('a pod that ends serves until every load balancer knows, and has time for the rest of its stop', () => {
  for (const file of ['deployment', 'gateway']) {
    const template = read(`${chart}/templates/${file}.yaml`)
    const [, pause] = /preStop: \{ exec: \{ command: \[sleep, "(\d+)"\] \} \}/.exec(template) ?? []
    expect([file, Number(pause)]).toEqual([file, 5])
  }
  const [, grace] = /terminationGracePeriodSeconds: (\d+)/.exec(read(`${chart}/templates/deployment.yaml`)) ?? []
  const [, work] = /LAST_WORK_MS = (\d+)_000$/m.exec(read('lib/server/process/shutdown.ts')) ?? []
  expect(Number(grace)).toBeGreaterThanOrEqual(5 + 2 * Number(work))
})

test('each image runs as another user than root, has a health check, and copies files that exist', () => {
  const stages = read('Dockerfile').split(/^FROM /m)
  for (const name of IMAGES) {
    const stage = stages.find((one) => one.split('\n')[0]?.endsWith(` AS ${name}`)) ?? ''
    expect(stage).toMatch(/^USER node$/m)
    expect(stage).toMatch(/^HEALTHCHECK /m)
  }
  const copied = [...read('Dockerfile').matchAll(/^COPY --from=build \/app\/(\S+)/gm)].map((match) => match[1] ?? '')
  expect(copied.filter((file) => !/^\.(next|build)\//.test(file) && !existsSync(path.join(root, file)))).toEqual([])
  expect(copied).not.toEqual([])
})

test('an image installs packages with all files of the repository that this takes', () => {
  const [before = ''] = read('Dockerfile').split(/^RUN .*ensureDependencies/m)
  const copied = [...before.matchAll(/^COPY ([^\n]+) \S+$/gm)].flatMap((match) => match[1]?.split(' ') ?? [])
  const importsOf = (file: string): string[] => {
    const imported = [...read(file).matchAll(/ from '(\.[^']+)'/g)].map((match) =>
      path.posix.join(file, '..', match[1] ?? ''),
    )
    return [file, ...imported.flatMap(importsOf)]
  }
  const needed = [...importsOf('scripts/bootstrap.mjs'), 'scripts/launch/end-with-parent.mjs']
  expect(needed.length).toBeGreaterThan(1)
  expect(needed.filter((file) => !copied.includes(file))).toEqual([])
})

test('each image has the bill of materials', () => {
  const [, sources = '', ...stages] = read('Dockerfile').split(/^FROM /m)
  expect(sources).toContain('RUN node scripts/pack/sbom.mjs > sbom.cdx.json\n')
  for (const stage of stages) {
    const [, base, name = ''] = /^(\S+) AS (\S+)\n/.exec(stage) ?? []
    if (IMAGES.includes(name) && base !== 'console')
      expect(stage).toContain('COPY --from=sources /app/sbom.cdx.json ./\n')
  }
})

test('the image of the platform has what its programs read, and starts one of them', () => {
  const stage =
    read('Dockerfile')
      .split(/^FROM .* AS platform$/m)[1]
      ?.split(/^FROM /m)[0] ?? ''
  const copied = [...stage.matchAll(/^COPY --from=platform-files \/app\/(\S+)/gm)].map((match) => match[1] ?? '')
  const sources = readdirSync(path.join(root, 'platform'), { recursive: true, encoding: 'utf8' }).filter((file) =>
    /^(?!testing\/)(?!.*\.test\.ts$).+\.ts$/.test(file),
  )
  // Below the folder that the program is started in.
  const used = sources.flatMap((file) =>
    [...read(`platform/${file}`).matchAll(/path\.resolve\('([\w./-]+)'\)/g)].map((match) => match[1] ?? ''),
  )
  expect(used).toEqual(expect.arrayContaining(['.build/agent-server.mjs', 'drizzle/platform', 'platform/samples']))
  const isCopied = (file: string) => copied.some((one) => file === one || file.startsWith(`${one}/`))
  expect(used.filter((file) => !isCopied(file))).toEqual([])
  expect(stage).toContain('CMD ["node", "--enable-source-maps", ".build/platform.mjs"]')
  // The charts start these two; the platform starts agent servers.
  const kept = read('Dockerfile')
    .split(' AS platform-files\n')[1]
    ?.split(/^FROM /m)[0]
  for (const program of ['platform', 'agent-server', 'listener']) expect(kept).toContain(`.build/${program}.mjs`)
})

test('the systemd units start a file that exists, or is built', () => {
  for (const unit of readdirSync(path.join(root, 'deploy/systemd'))) {
    const [, file = ''] = /^ExecStart=\/usr\/bin\/node (\S+)$/m.exec(read(`deploy/systemd/${unit}`)) ?? []
    const [, built = ''] = /^\.build\/(.+)\.mjs$/.exec(file) ?? []
    expect(built ? read('scripts/build-platform.mjs').includes(`${built}: '`) : existsSync(path.join(root, file))).toBe(
      true,
    )
  }
})

test('the notes of the chart name the account that the console makes', () => {
  const [, made = ''] = /PILOTHOUSE_ADMIN_EMAIL:[^@]*'(.+@.+)'/.exec(read('lib/server/process/env.ts')) ?? []
  expect(made).toContain('@')
  expect(read(`${chart}/templates/NOTES.txt`)).toContain(
    `The first account is {{ .Values.env.PILOTHOUSE_ADMIN_EMAIL | default "${made}" }}`,
  )
})

test('the charts set only known variables, and start programs that are built', () => {
  const templates = [chart, listenerChart].flatMap((one) =>
    readdirSync(path.join(root, one, 'templates')).map((file) => read(`${one}/templates/${file}`)),
  )
  const named = [...templates.join('\n').matchAll(/\{ name: ([A-Z][A-Z_]+),/g)].map((match) => match[1])
  expect(named).toEqual(expect.arrayContaining(['NEXTAUTH_URL', 'CONTROL_PLANE_URL']))
  // The launcher sets it too, so that nobody else has to.
  expect(named.filter((name) => !VARIABLES.has(name ?? '') && name !== 'PILOTHOUSE_CONSOLE_URL')).toEqual([])
  const programs = [...templates.join('\n').matchAll(/\.build\/(\w+)\.mjs/g)].map((match) => match[1])
  expect(programs.sort()).toEqual(['listener', 'platform'])
  for (const program of programs) expect(read('scripts/build-platform.mjs')).toContain(`${program}: '`)
})

const helm = spawnSync('helm', ['version', '--short']).status === 0
describe.skipIf(!helm)('helm (skipped where the program is missing)', () => {
  const given = ['--set', 'url=https://console.example.com,controlPlane.url=https://api.example.com']
  const everything =
    'existingSecret=,externalSecret.enabled=true,externalSecret.storeRef.name=vault,externalSecret.remoteKey=pilothouse,autoscaling.enabled=true,networkPolicy.enabled=true,ingress.enabled=true,ingress.host=console.example.com,ingress.tlsSecret=tls,serviceMonitor.enabled=true,prometheusRule.enabled=true,env.OIDC_ISSUER=https://login.example.com'
  const gateway =
    'existingSecret=s,gateway.enabled=true,gateway.existingSecret=g,gateway.autoscaling.enabled=true,gateway.networkPolicy.enabled=true,gateway.serviceMonitor.enabled=true,gateway.platformUrl=http://platform:4000,gateway.drainSeconds=120,gateway.env.NODE_OPTIONS=--max-old-space-size=400'
  const run = (command: string, ...args: string[]) =>
    spawnSync('helm', [command, '--kube-version', '1.31.0', ...args], { cwd: root, encoding: 'utf8' })
  const objectsOf = (text: string) => parseAllDocuments(text).flatMap((document) => document.toJS() ?? [])
  /** What the console is told. */
  const controlPlaneOf = (all: ReturnType<typeof objectsOf>) => {
    const own = all.find(({ kind, metadata }) => kind === 'Deployment' && metadata.name === 'pilothouse')
    const { env } = own.spec.template.spec.containers[0]
    return ['CONTROL_PLANE_URL', 'PILOTHOUSE_WORKSPACE_KIND'].map(
      (name) => env.find((one: { name: string }) => one.name === name)?.value,
    )
  }
  /** What the published schemas refuse; of some kinds they are not here. */
  const refused = (all: { kind: string }[]) => all.filter(({ kind }) => hasSchema(kind)).flatMap(schemaErrors)

  test('the chart passes lint', () => {
    const { status, stdout } = run('lint', '--strict', chart, ...given, '--set', 'existingSecret=s')
    expect(stdout).toContain('0 chart(s) failed')
    expect(status).toBe(0)
  })

  test('all parts render, and the pod has no rights', () => {
    const { status, stdout, stderr } = run('template', 'console', chart, ...given, '--set', everything)
    expect([stderr, status]).toEqual(['', 0])
    const all = objectsOf(stdout)
    expect(refused(all)).toEqual([])
    expect(all.map(({ kind }) => kind).sort()).toEqual([
      'Deployment',
      'ExternalSecret',
      'HorizontalPodAutoscaler',
      'Ingress',
      'NetworkPolicy',
      'PodDisruptionBudget',
      'PrometheusRule',
      'Service',
      'ServiceAccount',
      'ServiceMonitor',
    ])
    const pod = all.find(({ kind }) => kind === 'Deployment').spec.template.spec
    expect(pod).toMatchObject({ automountServiceAccountToken: false, securityContext: { runAsNonRoot: true } })
    expect(pod.containers[0].securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    })
  })

  test('the ingress leads only the path of the public address to the console', () => {
    const ingress =
      'existingSecret=s,ingress.enabled=true,ingress.host=ops.example.com,controlPlane.url=https://a.example'
    const pathsOf = (url: string) => {
      const { stdout } = run('template', 'console', chart, '--set', `${ingress},url=${url}`)
      return objectsOf(stdout)
        .filter(({ kind }) => kind === 'Ingress')
        .flatMap(({ spec }) => spec.rules[0].http.paths.map(({ path }: { path: string }) => path))
    }
    expect(pathsOf('https://ops.example.com')).toEqual(['/'])
    expect(pathsOf('https://ops.example.com/pilothouse')).toEqual(['/pilothouse'])
    for (const url of ['https://ops.example.com/', 'https://ops.example.com/a b', 'https://ops.example.com/x?y'])
      expect(pathsOf(url)).toEqual([])
  })

  test('the gateway has objects of its own, which the selectors of the console do not match', () => {
    const { status, stdout, stderr } = run('template', 'console', chart, ...given, '--set', gateway)
    expect([stderr, status]).toEqual(['', 0])
    const all = objectsOf(stdout)
    expect(refused(all)).toEqual([])
    const own = all.filter(({ metadata }) => metadata.name === 'console-pilothouse-gateway')
    expect(own.map(({ kind }) => kind).sort()).toEqual([
      'Deployment',
      'HorizontalPodAutoscaler',
      'NetworkPolicy',
      'PodDisruptionBudget',
      'Service',
      'ServiceAccount',
      'ServiceMonitor',
    ])
    const deployments = all.filter(({ kind }) => kind === 'Deployment')
    const [labels, others] = deployments.map(({ spec }) => [spec.selector.matchLabels, spec.template.metadata.labels])
    expect(others?.[1]).not.toMatchObject(labels?.[0])
    expect(labels?.[1]).not.toMatchObject(others?.[0])
    const { spec } = own.find(({ kind }) => kind === 'Deployment').spec.template
    expect(spec).toMatchObject({
      automountServiceAccountToken: false,
      // The Service of a release named pilothouse would set PILOTHOUSE_GATEWAY_PORT.
      enableServiceLinks: false,
      terminationGracePeriodSeconds: 135,
      securityContext: { runAsNonRoot: true },
    })
    const [container] = spec.containers
    expect(container.envFrom).toEqual([{ secretRef: { name: 'g' } }])
    expect(container.env).toContainEqual({ name: 'PILOTHOUSE_PLATFORM_URL', value: 'http://platform:4000' })
    expect(container.securityContext).toMatchObject({ readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } })
    expect(
      run('template', 'console', chart, ...given, '--set', 'existingSecret=s,gateway.enabled=true').stderr,
    ).toContain('Set gateway.existingSecret')
  })

  test.each([
    ['two of each', 'replicas=2', ['pilothouse', 'pilothouse-gateway']],
    ['a single console', 'replicas=1', ['pilothouse-gateway']],
    ['a single gateway', 'gateway.replicas=1', ['pilothouse']],
    [
      'an autoscaler that goes down to one',
      'autoscaling.enabled=true,autoscaling.minReplicas=1',
      ['pilothouse-gateway'],
    ],
    // Kubernetes rounds a share up.
    ['half of one', 'replicas=1,podDisruptionBudget.minAvailable=50%', ['pilothouse-gateway']],
  ])('a budget never keeps the last pod on a node that is drained: %s', (_, scale, expected) => {
    const values = `existingSecret=s,gateway.enabled=true,gateway.existingSecret=g,${scale}`
    const { stdout, stderr } = run('template', 'pilothouse', chart, ...given, '--set', values)
    expect(stderr).toBe('')
    const budgets = objectsOf(stdout).filter(({ kind }) => kind === 'PodDisruptionBudget')
    expect(budgets.map(({ metadata }) => metadata.name).sort()).toEqual(expected)
    for (const { spec } of budgets) expect(spec.unhealthyPodEvictionPolicy).toBe('AlwaysAllow')
  })

  test('the platform is wired to the console, and may manage agents in their namespaces only', () => {
    const values =
      'existingSecret=s,platform.enabled=true,platform.existingSecret=p,platform.namespaces={agents,others},gateway.enabled=true,gateway.existingSecret=g'
    const url = ['--set', 'url=https://console.example.com']
    const { status, stdout, stderr } = run('template', 'pilothouse', chart, '-n', 'ops', ...url, '--set', values)
    expect([stderr, status]).toEqual(['', 0])
    const all = objectsOf(stdout)
    expect(refused(all)).toEqual([])
    const own = all.filter(({ metadata }) => metadata.name === 'pilothouse-platform')
    expect(own.map(({ kind, metadata }) => [kind, metadata.namespace].join(' ').trim()).sort()).toEqual([
      'Deployment',
      'Role agents',
      'Role others',
      'RoleBinding agents',
      'RoleBinding others',
      'Service',
      'ServiceAccount',
    ])
    expect(own.find(({ kind }) => kind === 'Role')?.rules).toEqual(parse(read(`${chart}/role.yaml`)))
    const { spec } = own.find(({ kind }) => kind === 'Deployment')
    expect(spec).toMatchObject({ replicas: 1, strategy: { type: 'Recreate' } })
    const pod = spec.template.spec
    expect(pod).toMatchObject({ automountServiceAccountToken: true, securityContext: { runAsNonRoot: true } })
    const [container] = pod.containers
    for (const one of [container, ...pod.initContainers])
      expect(one.securityContext).toMatchObject({ readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } })
    expect(container.env).toContainEqual({ name: 'PILOTHOUSE_KUBERNETES_NAMESPACES', value: 'agents,others' })
    expect(JSON.stringify(pod.volumes)).toContain(
      '{"name":"s","items":[{"key":"CONTROL_PLANE_API_KEY","path":"api-key"}]}',
    )
    expect(container.image).toMatch(/^pilothouse-platform:/)
    expect(controlPlaneOf(all)).toEqual(['http://pilothouse-platform.ops.svc', 'embedded'])
    // The console, which asks the platform, sends its requests for agents to the gateways.
    expect(container.env).toContainEqual({
      name: 'PILOTHOUSE_GATEWAY_URL',
      value: 'http://pilothouse-gateway.ops.svc',
    })
    const gateway = all.find(({ kind, metadata }) => kind === 'Deployment' && metadata.name === 'pilothouse-gateway')
    expect(gateway.spec.template.spec.containers[0].env).toContainEqual({
      name: 'PILOTHOUSE_PLATFORM_URL',
      value: 'http://pilothouse-platform.ops.svc',
    })
    // Otherwise the console would refuse the address of the Service, which is not public, and not send its key there.
    const consoleWith = (...more: string[]) =>
      objectsOf(
        run('template', 'pilothouse', chart, '-n', 'ops', ...url, '--set', [values, ...more].join()).stdout,
      ).find(({ kind, metadata }) => kind === 'Deployment' && metadata.name === 'pilothouse')
    const allowed = (...more: string[]) =>
      consoleWith(...more).spec.template.spec.containers[0].env.filter(
        ({ name }: { name: string }) => name === 'ALLOWED_UPSTREAMS',
      )
    const name = 'ALLOWED_UPSTREAMS'
    expect(allowed()).toEqual([{ name, value: 'http://pilothouse-gateway.ops.svc' }])
    expect(allowed(`env.${name}=10.0.0.0/8`)).toEqual([{ name, value: 'http://pilothouse-gateway.ops.svc 10.0.0.0/8' }])
    expect(allowed('gateway.enabled=false')).toEqual([])
  })

  test('under network policies with rules of their own, names are looked up at the ports of the DNS pods', () => {
    const rules = ['', 'platform.', 'gateway.'].map(
      (of) => `${of}networkPolicy.enabled=true,${of}networkPolicy.egress[0].to[0].ipBlock.cidr=192.0.2.0/24`,
    )
    const lookups = (...more: string[]) => {
      const values = `url=https://c.example.com,existingSecret=s,platform.enabled=true,platform.existingSecret=p,gateway.enabled=true,gateway.existingSecret=g,${[...rules, ...more].join()}`
      const { status, stdout, stderr } = run('template', 'pilothouse', chart, '--set', values)
      expect([stderr, status]).toEqual(['', 0])
      const all = objectsOf(stdout)
      expect(refused(all)).toEqual([])
      return all.filter(({ kind }) => kind === 'NetworkPolicy').map(({ spec }) => spec.egress[0].ports)
    }
    const both = (port: number) => ['UDP', 'TCP'].map((protocol) => ({ port, protocol }))
    expect(lookups()).toEqual(Array(3).fill(both(53)))
    expect(lookups('dnsPorts={53,5353}')).toEqual(Array(3).fill([...both(53), ...both(5353)]))
    expect(lookups('dnsPorts=null')).toEqual(Array(3).fill(both(53))) // values of an earlier chart
  })

  test('under network policies with rules of their own, the parts of the chart and the agents still reach each other', () => {
    const rules = (of: string) =>
      ['ingressFrom[0].ipBlock.cidr=192.0.2.0/24', 'egress[0].to[0].ipBlock.cidr=192.0.2.0/24', 'enabled=true']
        .map((rule) => `${of}networkPolicy.${rule}`)
        .join()
    const values = `url=https://c.example.com,existingSecret=s,platform.enabled=true,platform.existingSecret=p,platform.namespaces={agents,others},gateway.enabled=true,gateway.existingSecret=g,${['', 'platform.', 'gateway.'].map(rules).join()}`
    const { status, stdout, stderr } = run('template', 'pilothouse', chart, '-n', 'ops', '--set', values)
    expect([stderr, status]).toEqual(['', 0])
    const all = objectsOf(stdout)
    expect(refused(all)).toEqual([])
    const policies = all.filter(({ kind }) => kind === 'NetworkPolicy')
    const labelsOf = (name: string): Record<string, string> =>
      all.find(({ kind, metadata }) => kind === 'Deployment' && metadata.name === name).spec.template.metadata.labels
    const revision = {
      platformId: 'p',
      namespace: 'others',
      deployment: { id: 'd', name: 'd' },
      revisionId: 'r',
      spec: null,
    }
    const pods = {
      console: { namespace: 'ops', port: 3000, labels: labelsOf('pilothouse') },
      platform: { namespace: 'ops', port: 4000, labels: labelsOf('pilothouse-platform') },
      gateway: { namespace: 'ops', port: 4100, labels: labelsOf('pilothouse-gateway') },
      agent: { namespace: 'others', port: 8000, labels: podLabels(revision) },
      stranger: { namespace: 'others', port: 8000, labels: {} },
    }
    type Pod = (typeof pods)[keyof typeof pods]
    const has = (labels: Record<string, string>, { matchLabels = {} }: { matchLabels?: object } = {}) =>
      Object.entries(matchLabels).every(([name, value]) => labels[name] === value)
    /** Whether the policies of one pod let a connection pass, in one direction. */
    const passes = (own: Pod, other: Pod, way: 'ingress' | 'egress', port: number) => {
      const of = policies.filter(({ spec }) => own.namespace === 'ops' && has(own.labels, spec.podSelector))
      const isNamed = (named: number | string) => named === port || (named === 'http' && port === own.port)
      const isPeer = ({ ipBlock, namespaceSelector, podSelector }: Record<string, { matchLabels?: object }>) =>
        !ipBlock &&
        (namespaceSelector
          ? has({ 'kubernetes.io/metadata.name': other.namespace }, namespaceSelector)
          : other.namespace === 'ops') &&
        has(other.labels, podSelector)
      return (
        of.length === 0 ||
        of.some(({ spec }) =>
          spec[way].some(
            (rule: Record<string, never[]>) =>
              (rule.ports ?? [{ port }]).some(({ port }) => isNamed(port)) &&
              (rule[way === 'ingress' ? 'from' : 'to'] ?? [{}]).some(isPeer),
          ),
        )
      )
    }
    const reached = Object.entries(pods).map(([name, from]) => {
      const found = Object.entries(pods).filter(
        ([, to]) => from !== to && passes(from, to, 'egress', to.port) && passes(to, from, 'ingress', to.port),
      )
      return [name, found.map(([other]) => other)]
    })
    expect(Object.fromEntries(reached)).toEqual({
      console: ['platform', 'gateway'],
      platform: ['agent'],
      gateway: ['platform', 'agent'],
      // What is outside of the chart has no policy of it.
      agent: ['platform', 'stranger'],
      stranger: ['agent'],
    })
  })

  test.each([
    // As one had to set it before, and a console that uses another control plane than the platform beside it.
    ['controlPlane.url=http://own,controlPlane.kind=embedded', ['http://own', 'embedded'], 's'],
    ['controlPlane.url=https://api.example.com', ['https://api.example.com', 'control-plane'], 'p'],
  ])('with %s, that is the console’s control plane', (named, expected, keyOf) => {
    const values = `url=https://console.example.com,existingSecret=s,platform.enabled=true,platform.existingSecret=p,${named}`
    const { stdout, stderr } = run('template', 'pilothouse', chart, '--set', values)
    expect(stderr).toBe('')
    expect(controlPlaneOf(objectsOf(stdout))).toEqual(expected)
    expect(stdout).toContain(`{ name: ${keyOf}, items: [{ key: CONTROL_PLANE_API_KEY, path: api-key }] }`)
  })

  test('the chart of a listener passes lint, and renders it with an account that may manage agents', () => {
    const values = ['--set', 'url=https://platform.example.com,existingSecret=l,namespaces={agents}']
    expect(run('lint', '--strict', listenerChart, ...values).stdout).toContain('0 chart(s) failed')
    const { status, stdout, stderr } = run('template', 'east', listenerChart, ...values)
    expect([stderr, status]).toEqual(['', 0])
    const all = objectsOf(stdout)
    expect(refused(all)).toEqual([])
    expect(all.map(({ kind }) => kind).sort()).toEqual(['Deployment', 'Role', 'RoleBinding', 'ServiceAccount'])
    expect(all.find(({ kind }) => kind === 'Role')).toMatchObject({
      metadata: { namespace: 'agents' },
      rules: parse(read(`${listenerChart}/role.yaml`)),
    })
    const { spec } = all.find(({ kind }) => kind === 'Deployment').spec.template
    expect(spec).toMatchObject({ automountServiceAccountToken: true, securityContext: { runAsNonRoot: true } })
    expect(spec.containers[0].securityContext).toMatchObject({ readOnlyRootFilesystem: true })
    expect(spec.containers[0].env).toContainEqual({
      name: 'PILOTHOUSE_LISTENER_TOKEN',
      valueFrom: { secretKeyRef: { name: 'l', key: 'PILOTHOUSE_LISTENER_TOKEN' } },
    })
    expect(run('template', 'east', listenerChart, '--set', 'url=https://x.example.com').stderr).toContain(
      'Set existingSecret',
    )
  })

  const rendered = (of: string, values: object) =>
    spawnSync('helm', ['template', 'pilothouse', of, '--kube-version', '1.31.0', '--values', '-'], {
      ...{ cwd: root, encoding: 'utf8', input: JSON.stringify(values) },
    })
  const url = 'https://pilothouse.example.com'
  const ownPlatform = { url, existingSecret: 's', platform: { enabled: true, existingSecret: 'p' } }
  const parts: [string, string, (given: object) => object][] = [
    ['pilothouse', chart, (given) => ({ ...ownPlatform, ...given })],
    ['pilothouse-platform', chart, (given) => ({ ...ownPlatform, platform: { ...ownPlatform.platform, ...given } })],
    [
      'pilothouse-gateway',
      chart,
      (given) => ({ ...ownPlatform, gateway: { enabled: true, existingSecret: 'g', ...given } }),
    ],
    ['pilothouse-pilothouse-listener', listenerChart, (given) => ({ url, existingSecret: 'l', ...given })],
  ]

  test.each(parts)('the pods of %s get what a cluster asks for', (name, of, valuesWith) => {
    const place = {
      priorityClassName: 'high',
      nodeSelector: { disk: 'ssd' },
      tolerations: [{ key: 'agents', operator: 'Exists' }],
      affinity: { podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [] } },
    }
    const variable = { name: 'HTTPS_PROXY', valueFrom: { secretKeyRef: { name: 'proxy', key: 'url' } } }
    const volume = { name: 'ca', configMap: { name: 'company-ca' } }
    const mount = { name: 'ca', mountPath: '/etc/company-ca', readOnly: true }
    const annotations = { 'eks.amazonaws.com/role-arn': 'arn:aws:iam::1:role/pilothouse' }
    const given = {
      ...{ ...place, podLabels: { team: 'agents' }, podAnnotations: { note: 'own' }, serviceAccount: { annotations } },
      ...{ extraEnv: [variable], extraVolumes: [volume], extraVolumeMounts: [mount] },
    }
    const { stdout, stderr } = rendered(of, valuesWith(given))
    expect(stderr).toBe('')
    const all = objectsOf(stdout)
    expect(refused(all)).toEqual([])
    const own = (wanted: string) => all.find(({ kind, metadata }) => kind === wanted && metadata.name === name)
    expect(own('ServiceAccount').metadata.annotations).toEqual(annotations)
    const { selector, template } = own('Deployment').spec
    expect(template.metadata.labels).toMatchObject({ ...selector.matchLabels, team: 'agents' })
    expect(template.metadata.annotations).toEqual({ note: 'own' })
    expect(template.spec).toMatchObject(place)
    expect(template.spec.volumes).toContainEqual(volume)
    expect(template.spec.containers[0].volumeMounts).toContainEqual(mount)
    expect(template.spec.containers[0].env).toContainEqual(variable)
    // For the others nothing has changed.
    expect(stdout.match(/company-ca/g)).toHaveLength(2)
  })

  test.each(parts.filter(([name]) => /house$|gateway/.test(name)))(
    '%s is spread over the nodes, or as told',
    (name, of, valuesWith) => {
      const spread = (given: object) =>
        objectsOf(rendered(of, valuesWith(given)).stdout).find(
          ({ kind, metadata }) => kind === 'Deployment' && metadata.name === name,
        ).spec.template.spec.topologySpreadConstraints
      expect(spread({})).toMatchObject([{ topologyKey: 'kubernetes.io/hostname', whenUnsatisfiable: 'ScheduleAnyway' }])
      const zones = [{ maxSkew: 1, topologyKey: 'topology.kubernetes.io/zone', whenUnsatisfiable: 'DoNotSchedule' }]
      expect(spread({ topologySpreadConstraints: zones })).toEqual(zones)
    },
  )

  test.each([
    ['a label that the selectors need', { podLabels: { 'app.kubernetes.io/name': 'mine' } }, 'app.kubernetes.io/name'],
    ['a mount without a place', { extraVolumeMounts: [{ name: 'ca' }] }, 'mountPath'],
    ['an annotation that is no text', { serviceAccount: { annotations: { on: true } } }, 'annotations'],
  ])('each part refuses %s', (_, given, told) => {
    for (const [, of, valuesWith] of parts) expect(rendered(of, valuesWith(given)).stderr).toContain(told)
  })

  test('each enabled part can have its Secret from the External Secrets Operator', () => {
    const from = (remoteKey: string) => ({ externalSecret: { enabled: true, storeRef: { name: 'vault' }, remoteKey } })
    const platform = { enabled: true, ...from('p') }
    const gateway = { enabled: true, ...from('g') }
    const { stdout, stderr } = rendered(chart, { url, ...from('c'), platform, gateway })
    expect(stderr).toBe('')
    const all = objectsOf(stdout)
    const made = all.filter(({ kind }) => kind === 'ExternalSecret')
    expect(made.map(({ metadata, spec }) => [metadata.name, spec.target.name, spec.dataFrom[0].extract.key])).toEqual([
      ['pilothouse', 'pilothouse', 'c'],
      ['pilothouse-gateway', 'pilothouse-gateway', 'g'],
      ['pilothouse-platform', 'pilothouse-platform', 'p'],
    ])
    for (const { spec } of made) expect(spec.secretStoreRef).toEqual({ kind: 'ClusterSecretStore', name: 'vault' })
    const podOf = (name: string) =>
      all.find(({ kind, metadata }) => kind === 'Deployment' && metadata.name === name).spec.template.spec
    for (const name of ['pilothouse', 'pilothouse-gateway'])
      expect(podOf(name).containers[0].envFrom).toEqual([{ secretRef: { name } }])
    const { containers, volumes } = podOf('pilothouse-platform')
    expect(containers[0].env).toContainEqual({
      name: 'DATABASE_URL',
      valueFrom: { secretKeyRef: { name: 'pilothouse-platform', key: 'DATABASE_URL' } },
    })
    expect(JSON.stringify(volumes)).toContain('{"name":"pilothouse-platform","items":[{"key":"PLATFORM_SEAL_KEY"')
    const own = rendered(listenerChart, { url, ...from('l') })
    expect(own.stderr).toBe('')
    const listener = objectsOf(own.stdout)
    expect(listener.find(({ kind }) => kind === 'ExternalSecret')).toMatchObject({
      metadata: { name: 'pilothouse-pilothouse-listener' },
      spec: {
        secretStoreRef: { kind: 'ClusterSecretStore', name: 'vault' },
        target: { name: 'pilothouse-pilothouse-listener' },
        dataFrom: [{ extract: { key: 'l' } }],
      },
    })
    expect(listener.find(({ kind }) => kind === 'Deployment').spec.template.spec.containers[0].env).toContainEqual({
      name: 'PILOTHOUSE_LISTENER_TOKEN',
      valueFrom: { secretKeyRef: { name: 'pilothouse-pilothouse-listener', key: 'PILOTHOUSE_LISTENER_TOKEN' } },
    })
    expect(rendered(listenerChart, { url, ...from('') }).stderr).toContain('Set externalSecret.remoteKey.')
    const others = { controlPlane: { url }, existingSecret: 's', platform: from('p'), gateway: from('g') }
    expect(rendered(chart, { url, ...others }).stdout).not.toContain('ExternalSecret')
    expect(rendered(chart, { url, existingSecret: 's', platform: { enabled: true, ...from('') } }).stderr).toContain(
      'Set platform.externalSecret.remoteKey.',
    )
  })

  test('the guide’s certificate authority is mounted where Node.js is told to read it', () => {
    const [, example = ''] = /```yaml\n(env: *\n[^`]+)```/.exec(read('docs/operate.md')) ?? []
    const { stdout, stderr } = rendered(chart, { ...ownPlatform, ...parse(example) })
    expect(stderr).toBe('')
    const all = objectsOf(stdout)
    expect(refused(all)).toEqual([])
    const { containers, volumes } = all.find(
      ({ kind, metadata }) => kind === 'Deployment' && metadata.name === 'pilothouse',
    ).spec.template.spec
    const { value } = containers[0].env.find(({ name }: { name: string }) => name === 'NODE_EXTRA_CA_CERTS')
    const mount = containers[0].volumeMounts.find(({ mountPath }: { mountPath: string }) =>
      value.startsWith(`${mountPath}/`),
    )
    expect(volumes.find(({ name }: { name: string }) => name === mount.name)).toHaveProperty('configMap')
  })

  test('what the documentation installs renders', () => {
    const text = read('docs/operate.md')
      .replaceAll(/\\\n */g, '')
      .replaceAll('$REGISTRY', 'registry.example.com')
    const commands = [...text.matchAll(/^ *helm install (.+)$/gm)].map((match) =>
      match[1]?.replaceAll("'", '').split(/ +/),
    )
    expect(commands).toHaveLength(3)
    for (const args of commands) {
      const { status, stdout, stderr } = run('template', ...(args ?? []))
      expect([stderr, status]).toEqual(['', 0])
      expect(refused(objectsOf(stdout))).toEqual([])
    }
    const made = objectsOf(run('template', ...(commands[0] ?? [])).stdout)
    const asked = [...text.matchAll(/ (deployment|service)\/([\w-]+)/g)].map(([, kind, name]) => `${kind}/${name}`)
    expect(asked).toContain('deployment/pilothouse-platform')
    const names = made.map(({ kind, metadata }) => `${kind.toLowerCase()}/${metadata.name}`)
    expect(asked.filter((one) => !names.includes(one))).toEqual([])
  })

  test.each(['url', 'controlPlane.url'])('without %s it says what is missing', (name) => {
    const { status, stderr } = run('template', 'console', chart, ...given, '--set', `existingSecret=s,${name}=`)
    expect(status).not.toBe(0)
    expect(stderr).toContain(name.split('.').at(-1))
  })

  test('without a secret it says so', () => {
    expect(run('template', 'console', chart, ...given).stderr).toContain('Set existingSecret')
  })
})
