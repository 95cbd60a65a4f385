import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { STAND_IN_AGENT } from '../platform-fixture'
import { openApiServer } from './api-server'
import { startFakeNode } from './fake-node'

export { missingApiServer } from './api-server'

export type WorldOptions = {
  /** A folder with programs in place of those of images. */
  programs?: string
  /** More variables of every container. */
  variables?: Record<string, string>
  /** The working folder of an image that the world itself does not have. */
  folderOf?(image: string): string | undefined
  /** How long the node takes to answer a request for a log. */
  logsAfterMs?(): number
}

/** A real API server with a played node, whose images are folders. Other namespaces and nodes of it are left alone. */
export async function apiServerWorld({ programs, variables, folderOf, logsAfterMs }: WorldOptions = {}) {
  const server = await openApiServer()
  const folder = mkdtempSync(path.join(os.tmpdir(), 'pilothouse-images-'))
  const images = new Map<string, string>()
  const node = await startFakeNode({
    kubeconfig: server.kubeconfig,
    program: path.resolve('.build/container.mjs'),
    variables: { PILOTHOUSE_AGENT_SERVER: STAND_IN_AGENT, ...variables },
    images: { get: (image) => images.get(image) ?? folderOf?.(image) },
    ...(programs && { programs }),
    ...(logsAfterMs && { logsAfterMs }),
  })
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
    async close() {
      try {
        await node.close()
      } finally {
        await server.stop()
        rmSync(folder, { recursive: true, force: true })
      }
    },
  }
}
