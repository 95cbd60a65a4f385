'use client'
import { type FormEvent, useRef, useState } from 'react'
import { ErrorNotice } from '@/components/shared/feedback/error-notice'
import { readTtl, TtlField } from '@/components/shared/form/ttl-field'
import { useSave } from '@/components/shared/form/use-save'
import { JsonEditor } from '@/components/shared/json/json-editor'
import { jsonProblemText } from '@/components/shared/json/json-problem'
import { Button } from '@/components/ui/button'
import { describedBy, Field } from '@/components/ui/field'
import { Input } from '@/components/ui/input'
import { putItem } from '@/lib/actions/store'
import type { Item } from '@/lib/contracts/agents/store'
import type { DeploymentPlace } from '@/lib/contracts/wire/places'
import { newRequestKey } from '@/lib/format/format'
import { jsonText } from '@/lib/json/value'
import { namespaceOf, namespaceText } from './store-place'

type Props = {
  place: DeploymentPlace
  /** The item to edit; absent to create one, initially in this namespace. */
  item?: Item
  namespace: readonly string[]
  onSaved: (namespace: string[], key: string) => void
  onClose: () => void
}

/** Creates an item, or replaces an item's whole value. */
export function ItemForm({ place, item, namespace: within, onSaved, onClose }: Props) {
  const [namespace, setNamespace] = useState(namespaceText(item?.namespace ?? within))
  const [key, setKey] = useState(item?.key ?? '')
  const [value, setValue] = useState(() => (item ? jsonText(item.value) : '{}'))
  const [minutes, setMinutes] = useState('')
  const [isTried, setTried] = useState(false)
  const request = useRef({ body: '', id: '' })
  const { isBusy, error, fieldError, save } = useSave<null>()
  const parts = namespaceOf(namespace)
  const problem = jsonProblemText(value)
  const { ttl, problem: badTtl } = readTtl(minutes)
  const wrong = {
    namespace: isTried && parts.length === 0 ? 'Enter a namespace.' : fieldError('namespace'),
    key: isTried && key === '' ? 'Enter a key.' : fieldError('key'),
    value: problem ?? (value.trim().startsWith('{') ? fieldError('value') : 'Enter a JSON object.'),
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setTried(true)
    if (isBusy || parts.length === 0 || key === '' || badTtl || wrong.value) return
    const input = {
      place: { ...place, namespace: parts, key },
      value,
      ttlMinutes: ttl,
      expectedUpdatedAt: item ? (item.updated_at ?? '') : null,
    }
    const body = JSON.stringify(input)
    if (request.current.body !== body) request.current = { body, id: newRequestKey() }
    void save(
      () => putItem({ ...input, requestKey: request.current.id }),
      () => onSaved(parts, key),
    )
  }
  return (
    <form className="flex flex-col gap-3" onSubmit={submit}>
      <Field id="item-namespace" label="Namespace" hint="Parts separated by periods: users.ann" error={wrong.namespace}>
        <Input
          id="item-namespace"
          className="font-mono"
          autoComplete="off"
          disabled={item !== undefined}
          value={namespace}
          onChange={({ target }) => setNamespace(target.value)}
          {...describedBy('item-namespace', wrong.namespace)}
        />
      </Field>
      <Field id="item-key" label="Key" error={wrong.key}>
        <Input
          id="item-key"
          className="font-mono"
          autoComplete="off"
          disabled={item !== undefined}
          value={key}
          onChange={({ target }) => setKey(target.value)}
        />
      </Field>
      <div className="flex flex-col gap-1">
        <p className="font-medium text-xs">Value</p>
        <JsonEditor
          label="Value as JSON"
          value={value}
          onChange={setValue}
          describedBy="item-value"
          isInvalid={wrong.value !== undefined}
          minHeight={180}
          maxHeight={420}
        />
        <p id="item-value" className={wrong.value ? 'text-error text-xs' : 'text-ink-3 text-xs'}>
          {wrong.value ?? 'A JSON object. Replaces the whole value.'}
        </p>
      </div>
      <TtlField
        id="item-ttl"
        hint={
          item
            ? 'The current value is unknown. Saving replaces it. Empty: never expires.'
            : 'From now. Empty: never expires.'
        }
        value={minutes}
        onChange={setMinutes}
      />
      {error ? <ErrorNotice error={error} /> : null}
      <div className="flex flex-wrap justify-end gap-2">
        <Button disabled={isBusy} onClick={onClose}>
          Cancel
        </Button>
        <Button type="submit" variant="primary" isBusy={isBusy}>
          {item ? 'Save' : 'Create item'}
        </Button>
      </div>
    </form>
  )
}
