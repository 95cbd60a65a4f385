'use client'
import { type ComponentProps, useMemo } from 'react'
import { InputSection } from '@/components/runs/start/input-section'
import { skeletonText } from '@/components/runs/start/schema/input-schema'

type Props = Pick<ComponentProps<typeof InputSection>, 'schema' | 'issues' | 'isForced' | 'onChange' | 'onForce'> & {
  json: string | undefined
}

/** The whole input as JSON, in place of a message. */
export function JsonInput({ json, schema, ...rest }: Props) {
  const skeleton = useMemo(() => skeletonText(schema), [schema])
  return (
    <InputSection
      kind="json"
      hasMessages={false}
      message=""
      json={json ?? skeleton}
      schema={schema}
      schemaNote={schema ? undefined : 'This graph has no input schema, so the input is not checked.'}
      {...rest}
    />
  )
}
