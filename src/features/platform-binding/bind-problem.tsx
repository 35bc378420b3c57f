import { Alert, Button, Form } from 'antd'
import * as z from 'zod/mini'
import { platformIssue } from '../../../server/contract/platform-binding/binding.ts'
import type { ApiError } from '../../api-core.ts'
import styles from './platform.module.css'

const issueList = z.array(platformIssue)

/**
 * Why the binding was refused. It stays in the dialog, because the user has to go to the platform's console to correct
 * it. Where the platform names the application's company, one press enters it.
 */
export function BindProblem({ error }: { error: ApiError }) {
  const form = Form.useFormInstance<{ corp_id: string }>()
  const parsed = issueList.safeParse(error.data.issues)
  const issues = parsed.success ? parsed.data.filter(({ blocking }) => blocking) : []
  const actual = issues.find(({ actual_corp }) => actual_corp)?.actual_corp
  if (actual)
    return (
      <Alert
        className={styles.problem}
        type="info"
        title={`这个应用属于「${actual.name || actual.corp_id}」，是这家吗？`}
        description={`Tenant Key ${actual.corp_id}`}
        action={
          <Button
            type="primary"
            onClick={() => {
              form.setFieldValue('corp_id', actual.corp_id)
              form.submit()
            }}
          >
            是这家，绑定
          </Button>
        }
      />
    )
  return (
    <Alert
      className={styles.problem}
      type="error"
      role="alert"
      title={error.message}
      description={issues.slice(1).map(({ area, message }) => <p key={area}>{message}</p>)}
    />
  )
}
