/** JSON-RPC over HTTP, shared by the two protocols that use it. */

export const PARSE_ERROR = -32700
export const INVALID_PARAMS = -32602
export const INTERNAL_ERROR = -32603

/** An error response that belongs to no particular request. */
export const rpcProblem = (code: number, message: string, status = 400): Response =>
  Response.json({ jsonrpc: '2.0', id: null, error: { code, message } }, { status })

/** The body parsed as JSON, whatever its content type, or an error response. */
export async function readRpc(request: Request): Promise<{ body: unknown } | { refusal: Response }> {
  try {
    return { body: JSON.parse(await request.text()) }
  } catch (error) {
    // Over the size limit, not malformed.
    if (!(error instanceof SyntaxError)) throw error
    return { refusal: rpcProblem(PARSE_ERROR, 'Parse error: the body is not JSON') }
  }
}
