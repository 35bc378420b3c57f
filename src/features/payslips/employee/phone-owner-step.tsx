import { lazyComponent } from '../../../components/lazy.tsx'
import { PageTopBar } from './page-top-bar.tsx'

const ConfirmPhoneOwnerForm = lazyComponent(async () => (await import('./confirm-phone-owner.tsx')).ConfirmPhoneOwnerForm)

/**
 * Few employees ever need this form, so it loads on demand. `title` is for a page below the list, whose bar leads back.
 */
export const PhoneOwnerStep = ({ title }: { title?: string }) => (
  <>
    {title && <PageTopBar title={title} to="/m/slips" />}
    <ConfirmPhoneOwnerForm />
  </>
)
