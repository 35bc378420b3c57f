/** Pages of /m that are on their way. The build writes them into the pages themselves (`build/phone-pages.ts`); the app shows the same. */

import type { Sight } from './sight.ts'

const Bar = ({ width }: { width: string }) => <i style={{ width }} />
const Line = ({ left, right }: { left: string; right: string }) => (
  <div>
    <Bar width={left} />
    <Bar width={right} />
  </div>
)
const status = { role: 'status', 'aria-label': '正在加载' } as const

/** A slip: its head, the net pay, two groups. `sight`: what the page has drawn of it already (`sight.ts`), which stays. */
export const SlipWaiting = ({ sight }: { sight?: Sight | undefined }) => (
  <div className="wait wait-slip" {...status}>
    {sight ? (
      <div>
        <h2>{sight.title}</h2>
        <p>{sight.whose}</p>
      </div>
    ) : (
      <div>
        <Bar width="52%" />
        <Bar width="38%" />
        <Bar width="30%" />
      </div>
    )}
    {sight ? (
      <div className="wait-card">
        <h3>{sight.label}</h3>
        <p className={sight.isLong ? 'wait-net wait-long' : 'wait-net'}>{sight.net}</p>
      </div>
    ) : (
      <div className="wait-card">
        <Bar width="20%" />
        <b>
          <Bar width="56%" />
        </b>
        <Bar width="72%" />
        <Bar width="46%" />
      </div>
    )}
    <div className="wait-card">
      <Line left="26%" right="24%" />
      <Line left="22%" right="20%" />
      <Line left="30%" right="18%" />
      <Line left="24%" right="20%" />
    </div>
    <div className="wait-card">
      <Line left="22%" right="20%" />
      <Line left="28%" right="18%" />
      <Line left="24%" right="16%" />
    </div>
  </div>
)

const SlipPage = () => (
  <div className="wait-page">
    <header className="wait-top">工资条</header>
    <SlipWaiting />
  </div>
)

const RowsPage = () => (
  <div className="wait-page">
    <div className="wait wait-rows" {...status}>
      <div className="wait-card">
        <Line left="46%" right="24%" />
        <Line left="52%" right="22%" />
        <Line left="40%" right="24%" />
        <Line left="48%" right="20%" />
      </div>
    </div>
  </div>
)

const LoginPage = () => (
  <div className="wait-page">
    <div className="wait wait-login" {...status}>
      <img src="/favicon.svg" alt="" width={44} height={44} />
      <h1>查看我的工资条</h1>
      <Bar width="44%" />
      <b />
      <b />
      <b />
    </div>
  </div>
)

export const waitingPages = { slip: SlipPage, rows: RowsPage, login: LoginPage }
