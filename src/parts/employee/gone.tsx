import { Link } from '@tanstack/react-router'
import { Empty } from '../../ui/empty.tsx'
import { Top } from './top.tsx'

export const Gone = () => (
  <>
    <Top title="工资条" to="/m/slips" />
    <main className="m-middle">
      <Empty
        drawing="broken"
        text="这张工资条已被撤回或不存在"
        action={
          <Link to="/m/slips" className="ui-button m-button">
            回到工资条
          </Link>
        }
      />
    </main>
  </>
)
