/** The result of a sign-in, and errors of its forms. */
import type { login } from '../../../../server/contract/auth/sign-in.ts'
import type { CallOutput } from '../../../../server/contract/call.ts'
import type { FieldError } from '../../../components/form/field.ts'

export type SignInResult = CallOutput<typeof login>

export type SignInCompany = SignInResult['corps'][number]

/** An error with its field, or for the whole form. `isOwnerUnclear`: only the user can say whose account has the phone. */
export type FormError = FieldError & { isOwnerUnclear?: boolean }
