'use client'
import Link from 'next/link'
import { type ComponentProps, useState } from 'react'

/**
 * A link of what stands on every page. Asked for ahead once somebody points at it or reaches it: with each page all of them
 * at once are dozens of requests, beside which the page itself becomes usable late.
 */
export function NearLink(props: ComponentProps<typeof Link>) {
  const [isNear, setNear] = useState(false)
  const near = () => setNear(true)
  return <Link prefetch={isNear ? null : false} onPointerEnter={near} onFocus={near} {...props} />
}
