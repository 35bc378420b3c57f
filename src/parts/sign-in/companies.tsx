import { FormTrouble } from './field.tsx'
import styles from './sign-in.module.css'
import { roleWords, type SignIn } from './sign-in.ts'

/** Which company: one account may work for several. */
export function Companies({ signIn }: { signIn: SignIn }) {
  return (
    <>
      <ul className={styles.corps}>
        {signIn.corps?.map((corp) => (
          <li key={corp.corp_id}>
            <button type="button" aria-disabled={signIn.busy || undefined} onClick={() => void signIn.enter(corp)}>
              <strong>{corp.name}</strong>
              <span>{roleWords(corp)}</span>
            </button>
          </li>
        ))}
      </ul>
      <FormTrouble trouble={signIn.trouble} fields={[]} />
      <Another signIn={signIn} />
    </>
  )
}

export const Another = ({ signIn }: { signIn: SignIn }) => (
  <button type="button" className={styles.back} onClick={() => signIn.restart()}>
    换一个账号登录
  </button>
)
