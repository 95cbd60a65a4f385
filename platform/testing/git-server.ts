import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync, readFileSync } from 'node:fs'
import https from 'node:https'
import type { AddressInfo } from 'node:net'
import path from 'node:path'

/** Serves the repositories of a folder over HTTPS, with a certificate of an authority that nobody knows: `authority` is its file. */
export async function startGitServer(repositories: string, folder: string) {
  mkdirSync(folder, { recursive: true })
  const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' })
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
  openssl('req', '-x509', ...key, '-keyout', 'ca.key', '-out', 'ca.crt', '-subj', '/CN=Company')
  const names = ['-subj', '/CN=git', '-addext', 'subjectAltName=IP:127.0.0.1']
  openssl('req', ...key, '-keyout', 'git.key', '-out', 'git.csr', ...names)
  const issue = ['-CA', 'ca.crt', '-CAkey', 'ca.key', '-CAcreateserial', '-copy_extensions', 'copy']
  openssl('x509', '-req', '-in', 'git.csr', ...issue, '-out', 'git.crt')
  const read = (name: string) => readFileSync(path.join(folder, name))
  const server = https.createServer({ key: read('git.key'), cert: read('git.crt') }, (request, response) => {
    const { pathname, search } = new URL(request.url ?? '', 'https://127.0.0.1')
    const backend = spawn('git', ['http-backend'], {
      env: {
        ...process.env,
        GIT_PROJECT_ROOT: repositories,
        GIT_HTTP_EXPORT_ALL: '1',
        GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
        PATH_INFO: pathname,
        QUERY_STRING: search.slice(1),
        REQUEST_METHOD: request.method,
        CONTENT_TYPE: request.headers['content-type'],
        HTTP_CONTENT_ENCODING: request.headers['content-encoding'],
      },
      stdio: ['pipe', 'pipe', 'ignore'],
    })
    request.pipe(backend.stdin)
    const parts: Buffer[] = []
    backend.stdout.on('data', (part) => parts.push(part))
    backend.on('close', () => {
      const said = Buffer.concat(parts)
      const end = said.indexOf('\r\n\r\n')
      const headers = said
        .subarray(0, end)
        .toString()
        .split('\r\n')
        .map((line) => line.split(': ') as [string, string])
      const { Status: status = '200', ...others } = Object.fromEntries(headers)
      response.writeHead(Number.parseInt(status, 10), others).end(said.subarray(end + 4))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    authority: path.join(folder, 'ca.crt'),
    close: () => new Promise((resolve) => server.close(resolve)),
  }
}
