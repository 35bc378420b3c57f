import { lazyComponent } from '../../../components/lazy.tsx'
import { PageTopBar } from './page-top-bar.tsx'

const UnlockView = lazyComponent(async () => (await import('./unlock.tsx')).UnlockView)

/** Most payslips need no view password, so the form is not part of their first view. */
export const UnlockStep = ({ title }: { title: string }) => (
  <>
    <PageTopBar title={title} to="/m/slips" />
    <UnlockView />
  </>
)
