/** Keeps unknown API addresses from matching the pages of a workspace named "api". */
const notFound = (): Response => new Response('Not found', { status: 404 })

export { notFound as DELETE, notFound as GET, notFound as PATCH, notFound as POST, notFound as PUT }
