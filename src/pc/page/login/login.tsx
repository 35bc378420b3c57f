/** The desktop sign-in page: a small entry of its own with plain inputs and no router. */
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { SignInPanel } from '../../../features/auth/sign-in/panel.tsx'
import { getUrlAfterSignIn } from '../../../features/auth/sign-in/sign-in.ts'
import type { SignInCompany } from '../../../features/auth/sign-in/types.ts'
import '../../../theme.css'
import styles from './login.module.css'

/** Replaces this page, so that the browser's back button does not return to the form. */
const redirectAfterSignIn = (corp: SignInCompany | undefined) =>
  location.replace(getUrlAfterSignIn(corp, 'admin', location.search))

const LoginPage = () => (
  <div className={styles.root}>
    <aside className={styles.side}>
      <a href="/pc/page/index/index.html" className={styles.brand}>
        <img src="/favicon.svg" alt="" width={32} height={32} />
        薪函
      </a>
      <div>
        <p className={styles.claim}>
          工资条，
          <br />
          准时、准确、只给本人。
        </p>
        <p>上传工资表，逐行核对，一次发到每个人手里；谁看了、谁确认了，一目了然。</p>
      </div>
      <PayslipIllustration />
    </aside>
    <main className={styles.main}>
      <SignInPanel title="登录薪函" registerAt="#register" onIn={redirectAfterSignIn} />
    </main>
  </div>
)

/** A drawing of a payslip that shows what the product is about without words. */
const PayslipIllustration = () => (
  <svg viewBox="39 11 242 198" className={styles.slip} fill="none" stroke="currentColor" strokeWidth="1.5" aria-hidden="true">
    <path d="M40 12h240v196l-20-12-20 12-20-12-20 12-20-12-20 12-20-12-20 12-20-12-20 12-20-12-20 12z" strokeLinejoin="round" />
    <path d="M64 48h72M64 84h56M232 84h24M64 112h44M224 112h32M64 140h64M236 140h20M64 172h192" strokeLinecap="round" />
    <path d="M184 44h72" strokeWidth="6" strokeLinecap="round" />
  </svg>
)

const root = document.getElementById('root')
if (root)
  createRoot(root).render(
    <StrictMode>
      <LoginPage />
    </StrictMode>,
  )
