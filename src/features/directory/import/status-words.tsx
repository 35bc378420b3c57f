import { Select } from 'antd'
import { answerImport, type ImportInfo } from '../../../../server/contract/directory/import.ts'
import { useCallMutation } from '../../../api.ts'
import styles from './import.module.css'

const maxNames = 3
type StatusWord = ImportInfo['status_labels'][number]
const formatPeople = ({ names, count }: StatusWord) =>
  `${names.slice(0, maxNames).join('、')}${count > maxNames ? ` 等 ${count.toLocaleString('zh-CN')} 人` : ''}`

const statusOptions = [
  { value: 'active', label: '还在职' },
  { value: 'left', label: '已离职' },
  { value: 'skip', label: '不导入这些人' },
]

/** Ambiguous status values: one question per value, for all members with it. */
export function StatusWordQuestions({ info }: { info: ImportInfo }) {
  const { import_id, status_labels } = info
  const answer = useCallMutation(answerImport)
  if (status_labels.length === 0) return null
  return (
    <section className="ui-card" aria-labelledby="import-statuses">
      <h2 id="import-statuses">这些人还在职吗？</h2>
      <p className={styles.hint}>表里的写法看不出是在职还是已离职。说明之前，这些行不导入。</p>
      <ul className={styles.words}>
        {status_labels.map((statusWord) => (
          <li key={statusWord.word}>
            <span>
              写着「<b>{statusWord.word}</b>」：{formatPeople(statusWord)}
            </span>
            <Select
              aria-label={`「${statusWord.word}」是在职还是离职`}
              placeholder="请选择"
              disabled={answer.isPending}
              value={statusWord.take}
              options={statusOptions}
              onChange={(choice: 'active' | 'left' | 'skip' | null) =>
                answer.mutate({ import_id, answers: [], statuses: [{ word: statusWord.word, take: choice }] })
              }
            />
          </li>
        ))}
      </ul>
    </section>
  )
}
