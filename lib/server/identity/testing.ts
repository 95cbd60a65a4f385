// For tests only: a device with one passkey, in software.
import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto'

const sha256 = (data: Buffer | string) => createHash('sha256').update(data).digest()
const FLAGS = { present: 0x01, verified: 0x04, hasKey: 0x40 }

type Place = { origin?: string; host?: string; isVerified?: boolean }

export function softDevice() {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const id = randomBytes(16)
  const name = id.toString('base64url')
  const jwk = publicKey.export({ format: 'jwk' })
  const [x, y] = [jwk.x, jwk.y].map((part) => Buffer.from(part ?? '', 'base64url'))
  if (!x || !y) throw new Error('The key has no coordinates.')
  /** The key in COSE form: EC2, ES256, P-256. */
  const key = Buffer.concat([Buffer.from('a5010203262001215820', 'hex'), x, Buffer.from('225820', 'hex'), y])
  let counter = 0

  const client = (type: string, challenge: string, origin: string) =>
    Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }))
  function data({ host = 'localhost', isVerified = true }: Place, more: Buffer = Buffer.alloc(0)) {
    counter += 1
    const flags = FLAGS.present + (isVerified ? FLAGS.verified : 0) + (more.length > 0 ? FLAGS.hasKey : 0)
    const count = Buffer.alloc(4)
    count.writeUInt32BE(counter)
    return Buffer.concat([sha256(host), Buffer.from([flags]), count, more])
  }
  const answer = (response: Record<string, string>) => ({
    ...{ id: name, rawId: name, type: 'public-key' as const, response, clientExtensionResults: {} },
  })
  return {
    create(challenge: string, place: Place = {}) {
      const more = Buffer.concat([Buffer.alloc(16), Buffer.from([0, id.length]), id, key])
      const authData = data(place, more)
      const attestation = Buffer.concat([
        Buffer.from('a363666d74646e6f6e656761747453746d74a0686175746844617461', 'hex'),
        Buffer.from([0x58, authData.length]),
        authData,
      ])
      const said = client('webauthn.create', challenge, place.origin ?? 'http://localhost:3000')
      return answer({
        clientDataJSON: said.toString('base64url'),
        attestationObject: attestation.toString('base64url'),
      })
    },
    get(challenge: string, place: Place = {}) {
      const authenticatorData = data(place)
      const said = client('webauthn.get', challenge, place.origin ?? 'http://localhost:3000')
      const signature = sign('sha256', Buffer.concat([authenticatorData, sha256(said)]), privateKey)
      return answer({
        clientDataJSON: said.toString('base64url'),
        authenticatorData: authenticatorData.toString('base64url'),
        signature: signature.toString('base64url'),
      })
    },
  }
}
