/** Services on which people have a public name. All lists are alternatives of a regular expression. */

/** As their names are written before the name of an account: "GitHub: jdoe". */
export const platforms = String.raw`GitHub|GitLab|Bitbucket|Codeberg|Twitter|Instagram|Insta|Tik[Tt]ok|Telegram|Mastodon|Bluesky|Threads|Twitch|Snapchat|Snap|Discord|Skype|Reddit|Venmo|Pay[Pp]al|CashApp|Cash App|LINE|Line|WeChat|KakaoTalk|Strava|Steam|Keybase`;

/** Those that are also written in small letters there. */
export const smallPlatforms = 'discord|steam|snap(?:chat)?|insta(?:gram)?|tiktok|twitch|telegram|skype|reddit|venmo';

/** More of them, which announce a handle only: "spotify @jdoe". */
export const otherPlatforms = String.raw`ig|tik tok|you ?tube|pay pal|line(?: me| id)|kakao talk|spotify|xing|matrix|slack|last\.fm|goodreads`;

/** Behind the name of one, before an account: "GitHub user: jdoe". */
export const accountWords = 'me|id|ID|handle|user|name';
