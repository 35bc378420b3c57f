import { Select } from 'antd'
import { answerImport, type ImportInfo } from '../../../../server/contract/people/import.ts'
import { useCall } from '../../../api.ts'
import styles from './import.module.css'

const most_named = 3
type Word = ImportInfo['status_words'][number]
const peopleOf = ({ names, count }: Word) =>
  `${names.slice(0, most_named).join('、')}${count > most_named ? ` 等 ${count.toLocaleString('zh-CN')} 人` : ''}`

const options = [
  { value: 'active', label: '还在职' },
  { value: 'left', label: '已离职' },
  { value: 'skip', label: '不导入这些人' },
]

/** Words about the status that may mean either: asked once a word, for all beside whom it stands. */
export function StatusWords({ info }: { info: ImportInfo }) {
  const { import_id, status_words } = info
  const answer = useCall(answerImport)
  if (status_words.length === 0) return null
  return (
    <section className="ui-card" aria-labelledby="import-statuses">
      <h2 id="import-statuses">这些人还在职吗？</h2>
      <p className={styles.hint}>表里的写法看不出是在职还是已离职。说明之前，这些行不导入。</p>
      <ul className={styles.words}>
        {status_words.map((word) => (
          <li key={word.word}>
            <span>
              写着「<b>{word.word}</b>」：{peopleOf(word)}
            </span>
            <Select
              aria-label={`「${word.word}」是在职还是离职`}
              placeholder="请选择"
              disabled={answer.isPending}
              value={word.take}
              options={options}
              onChange={(take: 'active' | 'left' | 'skip' | null) =>
                answer.mutate({ import_id, answers: [], statuses: [{ word: word.word, take }] })
              }
            />
          </li>
        ))}
      </ul>
    </section>
  )
}
