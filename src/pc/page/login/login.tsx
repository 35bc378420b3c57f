import { createRoot } from 'react-dom/client'
import { login } from '../../../../server/contract/account.ts'
import { send } from '../../../api-core.ts'
import '../../../theme.css'

createRoot(document.getElementById('root')!).render(
  <button onClick={() => void send(login, { phone: '', password: '' })}>x</button>,
)
