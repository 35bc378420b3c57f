import { lazyWithRetry } from './lazy-with-retry.tsx'
import { PageTopBar } from './page-top-bar.tsx'

const ConfirmPhoneOwnerForm = lazyWithRetry(async () => (await import('./confirm-phone-owner.tsx')).ConfirmPhoneOwnerForm)

/** Few are ever asked this: the form comes when it is needed. `title`: on a page below the list, whose bar leads back. */
export const PhoneOwnerStep = ({ title }: { title?: string }) => (
  <>
    {title && <PageTopBar title={title} to="/m/slips" />}
    <ConfirmPhoneOwnerForm />
  </>
)
