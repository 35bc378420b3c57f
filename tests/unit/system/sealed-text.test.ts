/** Encrypted user text can be decrypted only at its own position. */
import { expect, test } from 'vitest'
import { Vault } from '../../../server/crypto/secrets.ts'

const vault = new Vault('01890000-0000-7000-8000-000000000001', new Map([[1, Buffer.alloc(32, 3)]]))
const position = { table: 'payslip_change', row: 'a', column: 'reason' }

test.each(['', '绩效算错，重新发放', '"quoted"', 'x', '1', '\t tab', '5,000.00 元', '𠮷'])(
  'decrypts %j as it was written',
  (labels) => {
    const sealed = vault.seal(position, labels)
    expect(vault.open<string>(position, sealed)).toBe(labels)
    if (labels.length > 2) expect(sealed.includes(labels)).toBe(false)
    expect(() => vault.open(position, Buffer.from(labels))).toThrow(/./)
    expect(() => vault.open({ ...position, row: 'b' }, sealed)).toThrow(/./)
  },
)
