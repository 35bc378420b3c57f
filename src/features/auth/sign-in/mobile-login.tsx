/** The mobile login page: the content inside the /m frame. */
import { useEffect, useState } from 'react'
import { signedOutMessage, signOutNotice } from '../../../browser.ts'
import { getEntryUrl } from '../entry/entry-params.ts'
import { SignInPanel } from './panel.tsx'
import { getUrlAfterSignIn } from './sign-in.ts'
import type { SignInCompany } from './types.ts'

/** Replaces this page, so that the phone's back button does not return to the form. */
const redirectAfterSignIn = (company: SignInCompany | undefined) =>
  location.replace(getUrlAfterSignIn(company, 'employee', location.search))

export function MobileLogin() {
  const [entryUrl] = useState(() => getEntryUrl(navigator, location.search, signOutNotice.reason === signedOutMessage))
  // Navigates the whole window.
  useEffect(() => {
    if (entryUrl) location.replace(entryUrl)
  }, [entryUrl])
  if (entryUrl)
    return (
      <main className="pocket-login">
        <output>正在登录…</output>
      </main>
    )
  return (
    <main className="pocket-login">
      <img src="/favicon.svg" alt="" width={44} height={44} />
      <SignInPanel title="查看我的工资条" registerAt="/pc/page/login/login.html#register" onIn={redirectAfterSignIn} />
    </main>
  )
}
