/** Placeholders of loading /m pages. The build writes them into the pages (`build/mobile-pages.ts`); the app does the same. */

import type { PayslipPreview } from './payslip-preview.ts'

const SkeletonBar = ({ width }: { width: string }) => <i style={{ width }} />
const SkeletonLine = ({ left, right }: { left: string; right: string }) => (
  <div>
    <SkeletonBar width={left} />
    <SkeletonBar width={right} />
  </div>
)
const statusProps = { role: 'status', 'aria-label': '正在加载' } as const

/** A payslip placeholder: header, net pay, two groups. `preview`: what the page already shows (`payslip-preview.ts`). */
export const PayslipPlaceholder = ({ preview }: { preview?: PayslipPreview | undefined }) => (
  <div className="wait wait-slip" {...statusProps}>
    {preview ? (
      <div>
        <h2>{preview.title}</h2>
        <p>{preview.owner}</p>
      </div>
    ) : (
      <div>
        <SkeletonBar width="52%" />
        <SkeletonBar width="38%" />
        <SkeletonBar width="30%" />
      </div>
    )}
    {preview ? (
      <div className="wait-card">
        <h3>{preview.label}</h3>
        <p className={preview.isLong ? 'wait-net wait-long' : 'wait-net'}>{preview.net}</p>
      </div>
    ) : (
      <div className="wait-card">
        <SkeletonBar width="20%" />
        <b>
          <SkeletonBar width="56%" />
        </b>
        <SkeletonBar width="72%" />
        <SkeletonBar width="46%" />
      </div>
    )}
    <div className="wait-card">
      <SkeletonLine left="26%" right="24%" />
      <SkeletonLine left="22%" right="20%" />
      <SkeletonLine left="30%" right="18%" />
      <SkeletonLine left="24%" right="20%" />
    </div>
    <div className="wait-card">
      <SkeletonLine left="22%" right="20%" />
      <SkeletonLine left="28%" right="18%" />
      <SkeletonLine left="24%" right="16%" />
    </div>
  </div>
)

const PayslipPagePlaceholder = () => (
  <div className="wait-page">
    <header className="wait-top">工资条</header>
    <PayslipPlaceholder />
  </div>
)

const ListPagePlaceholder = () => (
  <div className="wait-page">
    <div className="wait wait-rows" {...statusProps}>
      <div className="wait-card">
        <SkeletonLine left="46%" right="24%" />
        <SkeletonLine left="52%" right="22%" />
        <SkeletonLine left="40%" right="24%" />
        <SkeletonLine left="48%" right="20%" />
      </div>
    </div>
  </div>
)

const LoginPagePlaceholder = () => (
  <div className="wait-page">
    <div className="wait wait-login" {...statusProps}>
      <img src="/favicon.svg" alt="" width={44} height={44} />
      <h1>查看我的工资条</h1>
      <SkeletonBar width="44%" />
      <b />
      <b />
      <b />
    </div>
  </div>
)

export const pagePlaceholders = { payslip: PayslipPagePlaceholder, list: ListPagePlaceholder, login: LoginPagePlaceholder }
