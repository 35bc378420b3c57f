import { lazy, Suspense } from 'react'
import { LightField } from '../../../components/form/light-form.tsx'
import type { LightFieldState } from '../../../components/form/use-light-form.ts'
import { accountFields } from '../account/account-fields.ts'

/** Few phone numbers change owners, so this step loads on demand. */
export const NextOwnerOption = (props: { onNext: () => void }) => (
  <Suspense fallback={null}>
    <NextOwnerStep {...props} />
  </Suspense>
)
const NextOwnerStep = lazy(() => import('./next-owner.tsx'))

/**
 * The field for the proof that a phone's account requires, selected by the field of the error; renders nothing if the
 * error has no field.
 */
export function OwnerProofField({ name, field }: { name: string; field: (name: 'password' | 'holder_name') => LightFieldState }) {
  if (name === 'password') return <LightField {...accountFields.previousPassword} {...field(name)} />
  return name === 'holder_name' ? <LightField {...accountFields.userName} {...field(name)} /> : null
}
