'use client'
import Link from 'next/link'
import { usePathname } from 'next/navigation'
import type { DeploymentPlace } from '@/lib/contracts/wire/places'
import { routes } from '@/lib/routes'

const PARTS = [
  ['General', routes.deploymentSettings],
  ['Secrets', routes.deploymentSecrets],
  ['Resources', routes.deploymentResources],
  ['Danger', routes.deploymentDanger],
] as const

/** The sections of a deployment's settings: at the side on wide screens, above on narrow ones. */
export function SettingsNav({ workspace, deploymentId }: DeploymentPlace) {
  const path = usePathname()
  return (
    <nav aria-label="Settings sections" className="flex gap-1 overflow-x-auto lg:flex-col">
      {PARTS.map(([label, routeOf]) => {
        const href = routeOf(workspace, deploymentId)
        return (
          <Link
            key={label}
            href={href}
            aria-current={path === href ? 'page' : undefined}
            className="rounded-md px-2.5 py-1.5 text-ink-2 text-sm hover:bg-hover hover:text-ink aria-[current=page]:bg-hover aria-[current=page]:font-medium aria-[current=page]:text-ink"
          >
            {label}
          </Link>
        )
      })}
    </nav>
  )
}
