import { LongText } from '@/components/shared/text/long-text'
import type { RpcError } from '@/lib/contracts/wire/exchange'
import { jsonText } from '@/lib/json/value'

/** A refusal in the protocol's own words: the request arrived, and was answered with an error. */
export const RpcErrorNotice = ({ error: { code, message, data } }: { error: RpcError }) => (
  <div role="alert" className="min-w-0 rounded-md border border-error/30 bg-error-soft px-3 py-2 text-sm">
    <p className="font-medium">The server answered with the error {String(code ?? 'without a code')}</p>
    <LongText text={message} className="text-ink-2" />
    {data === undefined ? null : (
      <LongText text={jsonText(data)} limit={1_000} className="mt-1 font-mono text-ink-2 text-xs" />
    )}
  </div>
)
