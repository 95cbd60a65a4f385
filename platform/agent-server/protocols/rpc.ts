/** JSON-RPC over HTTP, as far as its two protocols here have it in common. */

export const PARSE_ERROR = -32700
export const INVALID_PARAMS = -32602
export const INTERNAL_ERROR = -32603

/** What cannot be tied to one request of the caller. */
export const rpcProblem = (code: number, message: string, status = 400): Response =>
  Response.json({ jsonrpc: '2.0', id: null, error: { code, message } }, { status })

/** The body as JSON whatever its content type, or the answer to one that is none. */
export async function readRpc(request: Request): Promise<{ body: unknown } | { refusal: Response }> {
  try {
    return { body: JSON.parse(await request.text()) }
  } catch (error) {
    // Larger than the limit, not unreadable.
    if (!(error instanceof SyntaxError)) throw error
    return { refusal: rpcProblem(PARSE_ERROR, 'Parse error: the body is not JSON') }
  }
}
