import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { STAND_IN_AGENT } from '../platform-fixture'
import { startApiServer } from './api-server'
import { startFakeNode } from './fake-node'

export { missingApiServer } from './api-server'

export type WorldOptions = {
  /** A folder with programs in place of those of images. */
  programs?: string
  /** More variables of every container. */
  variables?: Record<string, string>
  /** The working folder of an image that the world itself does not have. */
  folderOf?(image: string): string | undefined
}

/** A real API server with a played node, whose images are folders. */
export async function apiServerWorld({ programs, variables, folderOf }: WorldOptions = {}) {
  const server = await startApiServer()
  const folder = mkdtempSync(path.join(os.tmpdir(), 'pilothouse-images-'))
  const images = new Map<string, string>()
  const node = await startFakeNode({
    ...server,
    program: path.resolve('.build/container.mjs'),
    variables: { PILOTHOUSE_AGENT_SERVER: STAND_IN_AGENT, ...variables },
    images: { get: (image) => images.get(image) ?? folderOf?.(image) },
    ...(programs && { programs }),
  })
  let proxy: http.Server | undefined
  return {
    server,
    node,
    /** An image with these files. A change is what the next pods of it have. */
    image(files: Record<string, string>) {
      const uri = `registry.example.com/agent-${images.size}:1`
      const place = path.join(folder, String(images.size))
      images.set(uri, place)
      const change = (changed: Record<string, string>) => {
        mkdirSync(place, { recursive: true })
        for (const [name, text] of Object.entries(changed)) writeFileSync(path.join(place, name), text)
      }
      change(files)
      return { uri, change }
    },
    /** The address of a proxy in front of the cluster that leads to its services by their names. */
    async proxyUrl(): Promise<string> {
      proxy = http.createServer((request, response) => {
        const [, service = '', rest = '/'] = /^\/([^/]+)(\/.*)$/.exec(request.url ?? '') ?? []
        const { method, headers } = request
        const onward = http.request(
          { host: '127.0.0.1', port: node.portOf(service) ?? 1, path: rest, method, headers },
          (answer) => answer.pipe(response.writeHead(answer.statusCode ?? 502, answer.headers)),
        )
        onward.on('error', () => response.destroy())
        response.once('close', () => onward.destroy())
        request.pipe(onward)
      })
      await new Promise<void>((resolve) => proxy?.listen(0, '127.0.0.1', resolve))
      return `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/{service}`
    },
    async close() {
      proxy?.closeAllConnections()
      proxy?.close()
      await node.close()
      await server.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
