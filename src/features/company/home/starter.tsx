import { Link } from '@tanstack/react-router'
import { getImportSampleFile } from '../../../../server/contract/files/files.ts'
import { downloadFile } from '../../../api.ts'
import { Icon } from '../../../components/icon.tsx'
import styles from './home.module.css'

/** People may be added before, or by the wage sheet itself. */
const mainPath = '/wageSend1'

/** A new company: the three steps to its first payslips, instead of empty charts. */
export function GettingStarted({ members }: { members: number }) {
  const hasPeople = members > 1
  const steps = [
    {
      title: hasPeople ? `已有 ${members} 名员工` : '添加员工',
      text: '姓名和手机号就够了。也可以跳过：上传工资表时，表里的新员工能一键创建。',
      path: '/companyMember',
      action: hasPeople ? '查看花名册' : '去添加',
      done: hasPeople,
    },
    {
      title: '上传工资表',
      text: '直接用您现在的 Excel，不用改格式；表头、合计行会自动识别。',
      path: '/wageSend1',
      action: '上传工资表',
      done: false,
    },
    { title: '核对并发送', text: '逐行核对、与上月比较，确认无误后一次发给每个人。', path: null, action: '', done: false },
  ] as const
  return (
    <section className={`ui-card ${styles.starter}`} aria-labelledby="home-starter">
      <h2 id="home-starter">三步发出第一份工资条</h2>
      <ol>
        {steps.map((step, index) => (
          <li key={step.title} data-done={step.done || undefined}>
            <i aria-hidden="true">{step.done ? <Icon name="check" /> : index + 1}</i>
            <h3>{step.title}</h3>
            <p>{step.text}</p>
            {step.path && (
              <Link to={step.path} className={step.path === mainPath ? styles.primary : 'ui-button'}>
                {step.action}
              </Link>
            )}
          </li>
        ))}
      </ol>
      <p className="ui-hint">
        还没有工资表？
        <button type="button" className={styles.textlink} onClick={() => downloadFile(getImportSampleFile, { type: 'wage' })}>
          下载示例工资表
        </button>
      </p>
    </section>
  )
}
