import https from 'node:https'

/** The status of a GET to a server with a certificate of its own; 0 if it does not answer. */
export const makeRequest = (url: string, token: string): Promise<number> =>
  new Promise((resolve) => {
    https
      .get(url, { headers: { authorization: `Bearer ${token}` }, rejectUnauthorized: false }, (response) => {
        response.resume()
        resolve(response.statusCode ?? 0)
      })
      .on('error', () => resolve(0))
  })
