import type { TrainingLanguage } from '../../language.ts';
import { split } from '../../words.ts';

export const arabicTraining = {
  names: {
    given:
      split(`Mohammed Muhammad Ahmed Ali Omar Hassan Hussein Khalid Abdullah Ibrahim Yusuf Mustafa Mahmoud Karim Tariq Samir
      Faisal Walid Nasser Bilal Hamza Jamal Rashid Salim Ziad Anwar Fadi Rami Sami Tarek Fatima Aisha Maryam Zainab Layla Nour
      Amira Salma Yasmin Huda Rania Dalia Samira Noura Khadija Hanan Mona Reem Lina Sara Nadia Farah Ghada Iman Rasha`),
    family:
      split(`Al-Masri Haddad Khoury Mansour Nasser Saleh Hamdan Qasim Darwish Farouk Hijazi Najjar Sabbagh Shaheen Awad
      Al-Sayed El-Amin Bishara Aziz Rahman Khan Malik Siddiqui Hussain Sheikh Qureshi Chaudhry Mirza Ansari Hashemi Rahimi
      Ahmadi Karimi Mohammadi Hosseini Jafari Moradi Al-Rashid Benali Bouzid Cherif Mansouri Zahra Toumi Haddou`),
  },
  particles: ['al', 'bin'],
} satisfies TrainingLanguage;
