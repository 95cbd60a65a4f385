'use client'
import { useQuery } from '@tanstack/react-query'
import { ErrorNotice } from '@/components/shared/feedback/error-notice'
import { describedBy, Field } from '@/components/ui/field'
import { Select } from '@/components/ui/input'
import type { Listener } from '@/lib/contracts/deployments/listeners'
import { listenersQuery } from '@/lib/queries/deployments'
import type { ListenerRules } from './create-request'
import type { SectionProps } from './create-values'
import { Section, TextField } from './text-field'

/** What listeners require: one must be chosen if there are any, and only Kubernetes listeners take a namespace. */
export function listenerRules(listeners: readonly Listener[] | undefined, chosen: string): ListenerRules {
  const listener = listeners?.find(({ id }) => id === chosen)
  return {
    isRequired: (listeners?.length ?? 0) > 0,
    takesNamespace: listener ? listener.compute_type === 'k8s' : chosen !== '',
  }
}

/** The image and where it runs. */
export function DockerSections(props: SectionProps) {
  const { values, issues, change } = props
  return (
    <>
      <Section title="Image">
        <TextField
          id="create-image"
          label="Image"
          className="sm:col-span-2 [&_input]:font-mono"
          placeholder="registry.example/agent:1.2"
          value={values.image}
          error={issues.image}
          hint="With tag or digest. Tags can move; digests cannot."
          onChange={(image) => change({ image })}
        />
      </Section>
      <Section title="Placement">
        <Place {...props} />
        <TextField
          id="create-url"
          label="Agent server URL"
          type="url"
          className="sm:col-span-2"
          placeholder="https://agent.example.com"
          value={values.customUrl}
          error={issues.customUrl}
          hint="Optional. Needed only if the control plane cannot find it."
          onChange={(customUrl) => change({ customUrl })}
        />
      </Section>
    </>
  )
}

function Place({ workspace, values, issues, change }: SectionProps) {
  const list = useQuery(listenersQuery(workspace))
  if (list.data?.length === 0) return null
  const listener = list.data?.find(({ id }) => id === values.listener)
  const namespaces = listener?.compute_config?.k8s_namespaces ?? []
  const { takesNamespace } = listenerRules(list.data, values.listener)
  return (
    <>
      {list.error ? (
        <div className="flex flex-col gap-2">
          <TextField
            id="create-listener"
            label="Listener ID"
            value={values.listener}
            error={issues.listener}
            hint="Listeners could not be loaded. Enter the ID."
            onChange={(id) => change({ listener: id })}
          />
          <ErrorNotice error={list.error.view} onRetry={() => void list.refetch()} />
        </div>
      ) : (
        <Field
          id="create-listener"
          label="Listener"
          hint="The cluster or machine that runs it."
          error={issues.listener}
        >
          <Select
            id="create-listener"
            value={values.listener}
            onChange={(event) => change({ listener: event.target.value, namespace: '' })}
            {...describedBy('create-listener', issues.listener)}
          >
            <option value="">{list.data ? 'Choose…' : 'Loading…'}</option>
            {list.data?.map(({ id, compute_id: name, compute_type: type }) => (
              <option key={id} value={id}>
                {name ?? id} ({type})
              </option>
            ))}
          </Select>
        </Field>
      )}
      {!takesNamespace ? null : namespaces.length > 0 ? (
        <Field id="create-namespace" label="Namespace" hint="Cannot be changed later." error={issues.namespace}>
          <Select
            id="create-namespace"
            value={values.namespace}
            onChange={(event) => change({ namespace: event.target.value })}
            {...describedBy('create-namespace', issues.namespace)}
          >
            <option value="">Listener default</option>
            {namespaces.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </Select>
        </Field>
      ) : (
        <TextField
          id="create-namespace"
          label="Namespace"
          value={values.namespace}
          error={issues.namespace}
          hint="Optional. Cannot be changed later."
          onChange={(namespace) => change({ namespace })}
        />
      )}
    </>
  )
}
