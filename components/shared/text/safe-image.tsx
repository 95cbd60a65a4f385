import { useState } from 'react'

const SAFE = /^data:image\/(png|jpeg|webp|gif);base64,[A-Za-z0-9+/=\s]+$/i
const MAX_LENGTH = 20 * 1024 * 1024

/** Returns the URL if it is an inline image that cannot run code or load anything: no SVG, no remote address. */
export const safeImageUrl = (text: string): string | undefined =>
  text.length < MAX_LENGTH && text.slice(0, 11).toLowerCase() === 'data:image/' && SAFE.test(text) ? text : undefined

/** An inline image whose URL comes from `safeImageUrl`. */
export function SafeImage({ url, alt, className }: { url: string; alt: string; className?: string }) {
  const [isOdd, setOdd] = useState(false)
  if (isOdd) return <p className="text-warn text-xs">{alt}: its data is not a picture that can be shown.</p>
  return (
    // biome-ignore lint/performance/noImgElement: the image optimizer cannot load inline images
    <img
      src={url}
      alt={alt}
      className={`rounded-md border border-line object-contain ${className ?? ''}`}
      decoding="async"
      onError={() => setOdd(true)}
    />
  )
}
