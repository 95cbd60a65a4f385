import type { ReactNode } from 'react'
import { count } from '@/lib/format/format'

export type DeploymentProblem = { deployment: string; name: string; message: string; detail?: ReactNode }

/** Deployments that fail for the same reason share one line; its names unfold. Addresses do not count as a reason. */
export function GroupedProblems({ problems }: { problems: readonly DeploymentProblem[] }) {
  const groups = new Map<string, DeploymentProblem[]>()
  for (const problem of problems) {
    const reason = problem.message.replace(/ at https?:\/\/\S+/g, '')
    groups.set(reason, [...(groups.get(reason) ?? []), problem])
  }
  return [...groups].map(([reason, group]) => {
    // On the page of one deployment they have no name, and its servers may fail alike.
    const named = group.filter(({ name }) => name !== '')
    const first = named[0] ?? group[0]
    return first && named.length < 2 ? (
      <li key={reason} className="break-words">
        <Problem {...first} />
      </li>
    ) : (
      <li key={reason} className="list-none break-words">
        <details>
          <summary className="cursor-pointer">
            {count(named.length)} deployments: {reason}
          </summary>
          <ul className="mt-1 pl-4">
            {named.map((one) => (
              <li key={one.deployment}>
                <Problem {...one} />
              </li>
            ))}
          </ul>
        </details>
      </li>
    )
  })
}

const Problem = ({ name, message, detail }: DeploymentProblem) => (
  <>
    {name ? <span className="font-medium text-ink">{name}: </span> : null}
    {message} {detail}
  </>
)
