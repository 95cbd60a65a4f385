import 'server-only'
import { z } from 'zod'
import { DeploymentPatch } from '@/lib/contracts/deployments/deployments'
import { AppError } from '@/lib/errors'
import { isRecord } from '@/lib/json/guards'
import { fieldErrors } from '../process/result'
import { fingerprintOf } from './fingerprints'

/**
 * Checks a patch against the operation's schema, but accepts unchanged values that the schema refuses: whole objects are
 * sent back, with fields that only their server knows. Throws AppError invalid with the refused fields.
 */
export function checkPatch(body: object, current: Readonly<Record<string, unknown>>): void {
  const parsed = DeploymentPatch.safeParse(body)
  if (parsed.success) return
  const isKept = (path: readonly PropertyKey[]) => {
    const mine = fingerprintOf('', valuesAt(body, path)[0])
    return valuesAt(current, path, true).some((theirs) => isSet(theirs) && mine === fingerprintOf('', theirs))
  }
  const left = parsed.error.issues.filter((issue) =>
    issue.code === 'unrecognized_keys' ? !issue.keys.every((key) => isKept([...issue.path, key])) : !isKept(issue.path),
  )
  if (left.length > 0)
    throw new AppError('invalid', 'Some fields are invalid.', { fields: fieldErrors(new z.ZodError(left)) })
}

const isSet = (value: unknown) => value !== undefined && value !== null

/** The value at a path. With `isAnywhere`, the values in all items of lists on the way, because items may have moved. */
function valuesAt(value: unknown, [key, ...rest]: readonly PropertyKey[], isAnywhere = false): unknown[] {
  if (key === undefined) return [value]
  if (Array.isArray(value))
    return (isAnywhere ? value : [value[Number(key)]]).flatMap((one) => valuesAt(one, rest, isAnywhere))
  return isRecord(value) && Object.hasOwn(value, key) ? valuesAt(value[key as string], rest, isAnywhere) : []
}
