import type { Server } from 'node:http'

export const LOOPBACK = '127.0.0.1'

/** Listens on the first free port of the list (0: any). Returns the port; rejects if none is free. */
export async function listenOn(
  server: Server,
  ports: readonly number[],
  host = LOOPBACK,
  setting = 'PLATFORM_PORT',
): Promise<number> {
  for (const [index, port] of ports.entries()) {
    try {
      return await listen(server, port, host)
    } catch (error) {
      const isTaken = ['EADDRINUSE', 'EACCES'].includes((error as NodeJS.ErrnoException).code ?? '')
      if (isTaken && index < ports.length - 1) continue
      throw isTaken ? new Error(`Port ${port} is taken. Set ${setting} to another one.`) : error
    }
  }
  throw new Error('No port was given.')
}

function listen(server: Server, port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen({ host, port, exclusive: true }, () => {
      server.off('error', reject)
      const address = server.address()
      resolve(typeof address === 'object' && address ? address.port : port)
    })
  })
}
