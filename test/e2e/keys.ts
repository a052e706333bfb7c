import type { Hex } from 'viem'

/** Keys of the accounts that hold coins on the test chain. They guard nothing. */
export const keys = {
  sr1: '0xbacd8a3e595b9521d3b1acf75b72f45be3746941a6502d1c8b8a7ed528848a56',
  sr2: '0xaf68cce6ccb6684fb6ccaec255e124d063626e2b6bdc169c4cb0dbee1b6b523f',
  sr3: '0xf1245694cf649d777f1fe0ae1f50e6cef22ca207e2aacc5a39b2945c8eb51611',
  sr4: '0x9b86e29e7f3156b4750cecbcdd158a6bdc281c5369f37c5ea9317e845a13ec5d',
  sr5: '0xb625a842f5a56ae1808c6fd77c1a0628b6422e2251239d8dc3091f6a7d485076',
  rich: '0x6dc602f2335a16bcee3cf1c5233f83b9c72e0f322b5b05cbeab1c643fdebc374',
  alice: '0x15b6c40dce4ca2053f2a6b4297e63cdc1a57e0415d5a8baf976b060c8701d2e3',
  bob: '0x7ff9d8e0a711b12303f74d786429764cf53a6e89c0b1d3d42ec40edd650353ca',
  carol: '0x9ae0edede4a2855122e887a1bd56b2a6098852b8a7dbe2f151092666c18a59db',
  dave: '0x6d762d5019a07c839608ad5b3615d9699ed2e6d7090743891ba82b5e53312890',
  erin: '0x0d682d1971e90e824dff30a7c45891c51a104aed9f76bfd411d8d64f7e81d4a4',
} as const satisfies Record<string, Hex>
