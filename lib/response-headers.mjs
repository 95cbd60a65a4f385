/** Headers of every response, fixed at build time, so they cannot depend on the environment. */
export const EVERYWHERE = [
  { key: 'X-Content-Type-Options', value: 'nosniff' },
  { key: 'Referrer-Policy', value: 'same-origin' },
  { key: 'Cross-Origin-Resource-Policy', value: 'same-origin' },
]

/** Browsers read these of documents only, so a page's many scripts go without. */
export const DOCUMENTS = [
  { key: 'Cross-Origin-Opener-Policy', value: 'same-origin' },
  { key: 'X-Frame-Options', value: 'DENY' },
  {
    key: 'Permissions-Policy',
    value: ['camera', 'microphone', 'geolocation', 'payment', 'usb', 'display-capture', 'browsing-topics']
      .map((name) => `${name}=()`)
      .join(', '),
  },
]

export const API = [
  {
    key: 'Content-Security-Policy',
    value: "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  },
]

/** Of responses to a proxy that speaks TLS to the client. */
export const OVER_TLS = [{ key: 'Strict-Transport-Security', value: 'max-age=63072000' }]
/** What `X-Forwarded-Proto` then is. */
export const TLS_PROTO = 'https(,.*)?'
