import { FormErrorText } from '../../../components/form/light-form.tsx'
import styles from './sign-in.module.css'
import { formatCompanyRoles, type SignInState } from './sign-in.ts'

/** Selects a company: one account may work for several. */
export function CompanyList({ signIn }: { signIn: SignInState }) {
  return (
    <>
      <ul className={styles.corps}>
        {signIn.companies?.map((company) => (
          <li key={company.corp_id}>
            <button type="button" aria-disabled={signIn.busy || undefined} onClick={() => signIn.selectCompany(company)}>
              <strong>{company.name}</strong>
              <span>{formatCompanyRoles(company)}</span>
            </button>
          </li>
        ))}
      </ul>
      <FormErrorText error={signIn.formError} fields={[]} />
      <UseAnotherAccountButton signIn={signIn} />
    </>
  )
}

export const UseAnotherAccountButton = ({ signIn }: { signIn: SignInState }) => (
  <button type="button" className={styles.back} onClick={() => signIn.restart()}>
    换一个账号登录
  </button>
)
